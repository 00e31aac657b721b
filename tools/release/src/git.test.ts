import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { gitVariables, requireCleanTree } from './git.ts'
import { observeProgram, runProgram } from './run-program.ts'

let root = ''

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-git-'))
  // As on a machine without git configuration.
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null')
  vi.stubEnv('GIT_CONFIG_SYSTEM', '/dev/null')
  vi.stubEnv('GITHUB_SERVER_URL', undefined)
  await runProgram(root, 'git', 'init', '--quiet')
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(root, { recursive: true })
})

function use(token: string | undefined): void {
  for (const [name, value] of Object.entries(gitVariables(token))) vi.stubEnv(name, value)
}

describe('git of a release', () => {
  it('commits and tags with the release identity', async () => {
    use(undefined)
    await runProgram(root, 'git', 'commit', '--quiet', '--allow-empty', '--message', 'Release')
    await runProgram(root, 'git', 'tag', 'ships@0.3.0', '--message', 'ships@0.3.0')
    const { output } = await observeProgram(root, 'git', 'for-each-ref', '--format=%(taggeremail)')
    expect(output).toContain('<release@fairlead.dev>')
  })

  it('sends its token only to GitHub', async () => {
    use('t0k3n')
    const settingAt = (url: string) =>
      observeProgram(root, 'git', 'config', '--get-urlmatch', 'http.extraheader', url)
    const { output } = await settingAt('https://github.com/fairlead-dev/fairlead')
    const [, kind, credential = ''] = output.trim().split(' ')
    expect([kind, Buffer.from(credential, 'base64').toString()]).toEqual(['basic', 'x-access-token:t0k3n'])
    expect((await settingAt('https://example.com/fairlead')).code).toBe(1)
  })

  it('rejects a working tree with changes', async () => {
    await requireCleanTree(root)
    await writeFile(join(root, 'left-over.txt'), '')
    await expect(requireCleanTree(root)).rejects.toThrow(/must be clean:\n\?\? left-over\.txt/)
  })
})
