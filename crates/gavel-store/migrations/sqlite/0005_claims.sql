-- What a provider counted above the ceiling of a call: kept apart, since nobody pays it from a cap.
-- Empty where the count was possible; then `cost` and the tokens are the provider's own figures.
ALTER TABLE ledger ADD COLUMN claimed INTEGER CHECK (claimed >= 0);
ALTER TABLE ledger ADD COLUMN claimed_tokens INTEGER CHECK (claimed_tokens >= 0);
