import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const requirements = join(import.meta.dirname, 'requirements.txt')
const environment = resolve(import.meta.dirname, '../../.results/python')
const run = promisify(execFile)

const hasPython =
  spawnSync('python3', ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 11))']).status === 0

/** Whether schemathesis can run. If not, a printed line says how to enable it. */
export const canRunSchemathesis = hasPython
if (!hasPython) {
  process.stdout.write(
    'skipped: schemathesis; install Python 3.11 or later with venv, then npm run test:reality\n',
  )
}

/**
 * Installs the versions in requirements.txt into a virtual environment, unless they are already installed.
 *
 * @returns path of the executable
 * @throws Error with the output of pip
 */
export async function installSchemathesis(): Promise<string> {
  const program = join(environment, 'bin/schemathesis')
  const stamp = join(environment, 'installed')
  const expected = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === expected) return program
  await rm(environment, { recursive: true, force: true })
  await run('python3', ['-m', 'venv', environment])
  const pip = ['install', '--quiet', '--disable-pip-version-check', '--require-hashes', '-r', requirements]
  await run(join(environment, 'bin/pip'), pip)
  await writeFile(stamp, expected)
  return program
}
