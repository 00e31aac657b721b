import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const engines = resolve(import.meta.dirname, '..')

/** Whether Go is installed; without it, tests against go-ethereum are skipped. */
export const hasGo = spawnSync('go', ['version']).status === 0

/**
 * Builds a program of the Go module of this folder; Go keeps what it has compiled.
 *
 * @param path - of the package, such as `./scan`
 * @returns path of the executable
 * @throws Error with the output of the compiler
 */
export async function buildGoProgram(path: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-engines-'))
  const program = join(folder, path.split('/').at(-1) ?? 'program')
  await promisify(execFile)('go', ['build', '-o', program, path], { cwd: engines })
  return program
}
