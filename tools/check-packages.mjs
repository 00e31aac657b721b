// The script of `npm run check:packages`: builds, packs and tests all packages and the site.
import { spawnSync } from 'node:child_process'
import { printSkippedTests } from './skipped-tests.mjs'

const tasks = ['build', 'check:package', 'size', 'test:packages']
const { status, error } = spawnSync(
  'turbo',
  [
    'run',
    ...tasks,
    ...'--output-logs=errors-only --concurrency=3 --continue=dependencies-successful'.split(' '),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' } },
)
if (error) throw error
printSkippedTests(['docs', 'tests/consumers'])
process.exit(status ?? 1)
