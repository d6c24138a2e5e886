// Reports what node's test runner says about each test. This file is removed when it is loaded, before
// the runner starts anything of the project.
import { unlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const token = '{token}';
unlinkSync(fileURLToPath(import.meta.url));

const line = (kind, data = {}) => {
  const { name, nesting, file, skip, todo, details } = data;
  const open = skip !== undefined || todo !== undefined;
  const suite = details?.type === 'suite';
  return `${JSON.stringify({ token, kind, name, nesting, file, open, suite })}\n`;
};

export default async function* reports(source) {
  for await (const { type, data } of source) {
    if (type === 'test:start') yield line('start', data);
    if (type === 'test:pass') yield line('pass', data);
    if (type === 'test:fail') yield line('fail', data);
  }
  yield line('end');
}
