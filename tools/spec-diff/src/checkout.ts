import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Checks out some folders of a commit to a temporary folder while an action runs.
 *
 * @param repository - a folder of the git repository
 * @param ref - name of the commit
 * @param folders - paths from the top of the repository; those that the commit does not have are omitted
 * @throws Error when git cannot resolve the ref
 */
export async function withCheckout<result>(
  repository: string,
  ref: string,
  folders: readonly string[],
  action: (root: string) => Promise<result>,
): Promise<result> {
  const commit = await commitOf(repository, ref)
  const root = await mkdtemp(join(tmpdir(), 'fairlead-checkout-'))
  try {
    const listed = await git(repository, 'ls-tree', '--name-only', commit, '--', ...folders)
    const known = listed.split('\n').filter((line) => line !== '')
    if (known.length > 0) {
      const archive = join(root, 'checkout.tar')
      await git(repository, 'archive', '--format=tar', `--output=${archive}`, commit, '--', ...known)
      await run('tar', ['-x', '-f', archive, '-C', root])
      await rm(archive)
    }
    return await action(root)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/**
 * Returns the merge base of two refs: later commits on the base are not changes of the head.
 *
 * @param head - undefined for the working tree
 * @throws Error when git cannot resolve one of them
 */
export async function commonCommit(
  repository: string,
  base: string,
  head: string | undefined,
): Promise<string> {
  const [from, to] = await Promise.all([commitOf(repository, base), commitOf(repository, head ?? 'HEAD')])
  // Branches without a common ancestor, or of a shallow clone, are compared directly.
  return git(repository, 'merge-base', from, to).catch(() => from)
}

/** Whether git can resolve a ref to a commit. */
export async function refExists(repository: string, ref: string): Promise<boolean> {
  return commitOf(repository, ref).then(
    () => true,
    () => false,
  )
}

async function commitOf(repository: string, ref: string): Promise<string> {
  return git(repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`).catch(
    (error: unknown) => {
      throw new Error(`git has no commit named ${ref}`, { cause: error })
    },
  )
}

async function git(repository: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', repository, ...args], { maxBuffer: 64 << 20 })
  return stdout.trim()
}
