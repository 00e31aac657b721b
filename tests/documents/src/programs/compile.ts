import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const workspace = resolve(import.meta.dirname, '../..')

/**
 * Compiles all TypeScript files of a folder of this workspace as one program.
 *
 * @param include - further files, relative to the folder
 * @returns what the compiler complains about
 */
export function compile(folder: string, include: readonly string[] = []): Promise<string> {
  const project = {
    extends: '@fairlead/tsconfig/check.json',
    // A reader's own project need not be as strict about names of the environment.
    compilerOptions: { noPropertyAccessFromIndexSignature: false },
    include: ['*.ts', ...include],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const compiler = join(workspace, 'node_modules/.bin/tsc')
  return new Promise((done) => {
    execFile(compiler, ['-p', folder, '--pretty', 'false'], (_, output, errors) => done(output + errors))
  })
}
