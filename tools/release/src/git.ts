import { observeProgram } from './run-program.ts'

/** What git needs to commit, to tag, and to push with a token, as variables of the environment. */
export function gitVariables(token: string | undefined): Readonly<Record<string, string>> {
  const [name, email] = ['Fairlead release', 'release@fairlead.dev']
  const identity = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
  if (token === undefined || token === '') return identity
  // Not on a command line, which everybody on the machine can read, and for GitHub only.
  const server = process.env['GITHUB_SERVER_URL'] ?? 'https://github.com'
  return {
    ...identity,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${server}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
  }
}

/**
 * Demands a working tree as it was committed.
 *
 * @throws Error naming the files that are not
 */
export async function requireCleanTree(root: string): Promise<void> {
  const { code, output } = await observeProgram(root, 'git', 'status', '--porcelain')
  if (code !== 0 || output !== '') throw new Error(`The working tree must be clean:\n${output}`)
}
