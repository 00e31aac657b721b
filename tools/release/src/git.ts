import { observeProgram } from './run-program.ts'

/** Returns the environment variables with which git can commit, tag, and push with a token. */
export function gitVariables(token: string | undefined): Readonly<Record<string, string>> {
  const [name, email] = ['Fairlead release', 'release@fairlead.dev']
  const identity = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
  if (token === undefined || token === '') return identity
  // Not on a command line, which all users of the machine can read, and only for GitHub.
  const server = process.env['GITHUB_SERVER_URL'] ?? 'https://github.com'
  return {
    ...identity,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${server}/.extraheader`,
    GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
  }
}

/**
 * Requires a clean working tree.
 *
 * @throws Error naming the changed files
 */
export async function requireCleanTree(root: string): Promise<void> {
  const { code, output } = await observeProgram(root, 'git', 'status', '--porcelain')
  if (code !== 0 || output !== '') throw new Error(`The working tree must be clean:\n${output}`)
}
