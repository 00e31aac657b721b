import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const workspace = resolve(import.meta.dirname, '../..')

/**
 * Compiles all TypeScript files of a folder of this workspace as one program.
 *
 * @param include - further files, relative to the folder
 * @returns the errors of the compiler
 */
export function compile(folder: string, include: readonly string[] = []): Promise<string> {
  const project = {
    extends: '@fairlead/tsconfig/check.json',
    // The project of a reader may be less strict about names of environment variables.
    compilerOptions: { noPropertyAccessFromIndexSignature: false },
    include: ['*.ts', ...include],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const compiler = join(workspace, 'node_modules/.bin/tsc')
  return new Promise((done) => {
    execFile(compiler, ['-p', folder, '--pretty', 'false'], (_, output, errors) => done(output + errors))
  })
}
