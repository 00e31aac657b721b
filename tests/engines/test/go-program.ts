import { execFile, spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const engines = resolve(import.meta.dirname, '..')

/** Whether tests against go-ethereum can run. If not, a printed line says how to enable them. */
export const canBuildGo = spawnSync('go', ['version']).status === 0
if (!canBuildGo) process.stdout.write('skipped: go-ethereum; install Go, then npm run test:reality\n')

/**
 * Builds a program of the Go module of this folder. Go caches the compiled packages.
 *
 * @param path - path of the package, such as `./scan`
 * @returns path of the executable
 * @throws Error with the output of the compiler
 */
export async function buildGoProgram(path: string): Promise<string> {
  const program = join(engines, '.results/bin', path.split('/').at(-1) ?? 'program')
  await promisify(execFile)('go', ['build', '-o', program, path], { cwd: engines })
  return program
}
