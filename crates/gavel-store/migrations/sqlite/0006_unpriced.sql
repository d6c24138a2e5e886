-- Heads count the calls whose price nobody knows, so that nothing is shown as spent for them.
UPDATE heads
SET head = json_set(head, '$.unpriced', (
    SELECT count(*) FROM records
    WHERE records.run = heads.run AND json_valid(body)
      AND (kind = 'usage_settled' AND json_extract(body, '$.cost') IS NULL
        OR kind = 'usage_lost' AND json_extract(body, '$.ceiling') IS NULL)))
WHERE json_valid(head) AND EXISTS (
    SELECT 1 FROM records
    WHERE records.run = heads.run AND json_valid(body)
      AND (kind = 'usage_settled' AND json_extract(body, '$.cost') IS NULL
        OR kind = 'usage_lost' AND json_extract(body, '$.ceiling') IS NULL));
