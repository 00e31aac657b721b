import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { repository } from './gateway.ts'

const { base_url: url, api_key: key, nodes } = inject('development')
const [evm, beacon, jetton] = nodes

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-command-line-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs the program as a user or a script does. */
function fairlead(args: readonly string[], environment: Record<string, string> = {}) {
  const program = join(repository, 'packages/gateway/src/bin.ts')
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    HOME: folder,
    FAIRLEAD_URL: url,
    FAIRLEAD_API_KEY: key,
    ...environment,
  }
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    const argv = ['--conditions=@fairlead/source', program, ...args]
    execFile(process.execPath, argv, { env, cwd: folder }, (failure, out, error) => {
      resolve({ code: typeof failure?.code === 'number' ? failure.code : 0, out, error })
    })
  })
}

describe('the program', () => {
  it.each([
    ['a method without parameters', [evm.id, 'eth_chainId'], /^"0x[\da-f]+"\n$/],
    ['parameters as words', [evm.id, 'eth_getBalance', `0x${'00'.repeat(20)}`, 'latest'], /^"0x[\da-f]+"\n$/],
    ['parameters as JSON', [evm.id, 'eth_getBlockByNumber', '["0x0",false]'], /"number": "0x0"/],
    ['a path of a beacon node', [beacon.id, '/eth/v1/node/version'], /"version": /],
    ['a path of a jetton node', [jetton.id, '/api/v2/getMasterchainInfo'], /"seqno": \d+/],
  ])('calls a node through the gateway: %s', async (_, argv, pattern) => {
    expect(await fairlead(['call', ...argv])).toMatchObject({
      code: 0,
      error: '',
      out: expect.stringMatching(pattern) as string,
    })
  })

  it('reads a token from the environment, and distinguishes an error of the node from a rejection', async () => {
    const { token } = evm
    const nodeError = await fairlead(['call', evm.id, 'eth_getBalance', '0x1'], {
      FAIRLEAD_NODE_TOKEN: token,
    })
    expect(nodeError).toMatchObject({ code: 1, out: '', error: expect.stringContaining('-32602') as string })
    const rejection = await fairlead(['call', evm.id, 'eth_chainId'], { FAIRLEAD_NODE_TOKEN: 'c4n4ryc4n4ry' })
    expect(rejection).toMatchObject({ code: 3, error: expect.stringContaining('401') as string })
    expect(nodeError.error + rejection.error).not.toMatch(new RegExp(`${token}|c4n4ry`))
  })

  it('writes machine-readable lines', async () => {
    const { out } = await fairlead(['node', 'list'])
    expect(out.split('\n').filter((line) => line.split('\t')[0] === evm.id)).toHaveLength(1)
    const { out: text } = await fairlead(['node', 'list', '--json'])
    expect(JSON.parse(text)).toMatchObject({ count: new Set(nodes.map(({ id }) => id)).size })
  })

  it('exits with a code for each kind of error', async () => {
    const codes = await Promise.all([
      fairlead(['node', 'get', 'ND-000-000-000']),
      fairlead(['node', 'get', evm.id], { FAIRLEAD_API_KEY: 'AAAAAAAA.c4n4ry' }),
      fairlead(['node', 'get']),
      fairlead(['node', 'get', evm.id, '--gateway', 'http://127.0.0.1:9']),
    ])
    expect(codes.map(({ code }) => code)).toEqual([4, 3, 2, 6])
    expect(codes.every(({ out, error }) => out === '' && error.startsWith('error: '))).toBe(true)
  })
})
