import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { observeProgram } from '../run-program.ts'

/**
 * Runs a program in the project of a user who installs packages from the registry.
 *
 * @param packages - as a user specifies them, `name@version`
 * @returns the output of the program, or the error of the installation
 */
export async function runAsUser(
  folder: string,
  settings: string,
  packages: readonly string[],
  program: string,
): Promise<string> {
  await mkdir(folder)
  await writeFile(join(folder, '.npmrc'), settings)
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module' }),
  )
  await writeFile(join(folder, 'program.js'), program)
  const installFlags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--prefer-online']
  const installed = await observeProgram(folder, 'npm', 'install', ...installFlags, ...packages)
  if (installed.code !== 0) return installed.output
  return (await observeProgram(folder, process.execPath, 'program.js')).output.trim()
}
