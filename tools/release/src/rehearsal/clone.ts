import { appendFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ended, observeProgram, runProgram } from '../run-program.ts'

/** A temporary clone with a separate origin, so that pushes do not leave the machine. */
export interface Clone {
  readonly root: string
  /** Returns the pending changesets. */
  changesets(): Promise<readonly string[]>
  /** Runs a script of the repository. */
  script(name: string, ...args: readonly string[]): Promise<void>
  /** Runs a script of the repository and returns its result, even if it fails. */
  observe(name: string, ...args: readonly string[]): Promise<Ended>
  git(...args: readonly string[]): Promise<void>
  commit(message: string): Promise<void>
}

/**
 * Clones a commit into a folder and installs the dependencies of its lockfile.
 *
 * @param source - the repository
 * @param settings - lines of an `.npmrc` for the clone
 */
export async function cloneRepository(source: string, folder: string, settings: string): Promise<Clone> {
  const [origin, root] = [join(folder, 'origin.git'), join(folder, 'clone')]
  await runProgram(source, 'git', 'clone', '--quiet', '--bare', source, origin)
  await runProgram(source, 'git', 'clone', '--quiet', origin, root)
  const git = (...args: readonly string[]) =>
    runProgram(root, 'git', '-c', 'user.name=Rehearsal', '-c', 'user.email=rehearsal@fairlead.dev', ...args)
  await git('checkout', '--quiet', '-B', 'main')
  await git('push', '--quiet', '--force', '--set-upstream', 'origin', 'main')
  await runProgram(root, 'npm', 'run', '--silent', 'setup', '--', '--prefer-offline', '--reporter=silent')
  // Excluded from git and from the check for changed files.
  await writeFile(join(root, '.npmrc'), settings)
  await appendFile(join(root, '.git/info/exclude'), '.npmrc\n')
  const run = (name: string, args: readonly string[]) => ['run', '--silent', name, '--', ...args]
  return {
    root,
    async changesets() {
      const files = await readdir(join(root, '.changeset'))
      return files.filter((file) => file.endsWith('.md') && file !== 'README.md')
    },
    script: (name, ...args) => runProgram(root, 'npm', ...run(name, args)),
    observe: (name, ...args) => observeProgram(root, 'npm', ...run(name, args)),
    git,
    async commit(message) {
      await git('add', '--all')
      await git('commit', '--quiet', '--message', message)
    },
  }
}
