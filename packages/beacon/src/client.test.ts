import { inspect } from 'node:util'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type BeaconClientOptions,
  createBeaconClient,
  FairleadError,
  type ForkChoice,
  unwrap,
} from './index.ts'

const path = '/eth/v1/debug/fork_choice'
const root = `0x${'ab'.repeat(32)}`
const forkChoice: ForkChoice = {
  justified_checkpoint: { epoch: '2', root },
  finalized_checkpoint: { epoch: '1', root },
  fork_choice_nodes: [
    {
      slot: '64',
      block_root: root,
      parent_root: root,
      justified_epoch: '2',
      finalized_epoch: '1',
      weight: '18446744073709551615',
      validity: 'optimistic',
      execution_block_hash: root,
    },
  ],
}
const token: BeaconClientOptions['auth'] = { kind: 'token', token: 's3cr3t/t0k3n' }
const basic: BeaconClientOptions['auth'] = { kind: 'basic', username: 'user', password: 'p4ssw0rd' }

function clientResponding(
  auth: BeaconClientOptions['auth'],
  respond: () => Response | Promise<Response>,
  url = 'https://node.example.com',
  timeoutMs?: number,
) {
  const sent: Request[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    sent.push(input as Request)
    return await respond()
  }
  return { beacon: createBeaconClient({ url, auth, fetch, retries: 0, timeoutMs }), sent }
}

describe('a request', () => {
  it.each<[string, BeaconClientOptions['auth'], string, string, string | null]>([
    [
      'a token',
      token,
      'https://node.example.com',
      `https://node.example.com/beacon/s3cr3t%2Ft0k3n${path}`,
      null,
    ],
    [
      'basic credentials',
      basic,
      'https://node.example.com',
      `https://node.example.com/beacon${path}`,
      `Basic ${btoa('user:p4ssw0rd')}`,
    ],
    [
      'a prefix',
      token,
      'http://127.0.0.1:8645/node-1/',
      `http://127.0.0.1:8645/node-1/beacon/s3cr3t%2Ft0k3n${path}`,
      null,
    ],
  ])('with %s is sent to the specified path', async (_, auth, url, expected, authorization) => {
    const { beacon, sent } = clientResponding(auth, () => Response.json(forkChoice), url)
    const response = await unwrap(beacon.GET(path))
    expectTypeOf(response).toEqualTypeOf<ForkChoice>()
    expect(response).toEqual(forkChoice)
    expect(sent[0]?.url).toBe(expected)
    expect(sent[0]?.headers.get('authorization')).toBe(authorization)
  })

  it('can have a fractional timeout', async () => {
    const { beacon } = clientResponding(token, () => Response.json(forkChoice), undefined, 10_000 / 3)
    expect(await unwrap(beacon.GET(path))).toEqual(forkChoice)
  })

  it('is typed by the paths of the specification', () => {
    const { beacon } = clientResponding(token, () => Response.json(forkChoice))
    const calls = async () => {
      // @ts-expect-error no such path
      await beacon.GET('/eth/v1/debug/fork_choices')
      // @ts-expect-error the operation supports GET only
      await beacon.POST('/eth/v1/debug/fork_choice')
    }
    expectTypeOf(calls).toBeFunction()
  })
})

describe('a failure', () => {
  it.each([
    [501, { code: 501, message: 'Not implemented' }, 'Not implemented'],
    [404, { code: 404, message: 'Route not found', stacktraces: [] }, 'Route not found'],
    [502, 'no answer', 'no answer'],
  ])('with status %i contains the message of the node', async (status, body, detail) => {
    const { beacon } = clientResponding(token, () => Response.json(body, { status }))
    const error: unknown = await unwrap(beacon.GET(path)).catch((reason: unknown) => reason)
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details).toMatchObject({ status, detail })
  })

  it.each<[string, BeaconClientOptions['auth'], readonly string[]]>([
    ['a token', token, ['s3cr3t/t0k3n', 's3cr3t%2Ft0k3n']],
    ['basic credentials', basic, ['p4ssw0rd', btoa('user:p4ssw0rd')]],
  ])('does not contain %s', async (_, auth, secrets) => {
    const leaky = secrets.join(' ')
    for (const respond of [
      () => Response.json({ code: 400, message: leaky }, { status: 400 }),
      () => new Response(leaky),
      () => Promise.reject(new TypeError(leaky)),
    ]) {
      const error: unknown = await unwrap(clientResponding(auth, respond).beacon.GET(path)).catch(
        (reason: unknown) => reason,
      )
      expect(FairleadError.is(error)).toBe(true)
      const forms = [
        String(error),
        JSON.stringify(error),
        inspect(error, { depth: null, showHidden: true }),
      ].join('\n')
      for (const secret of secrets) expect(forms).not.toContain(secret)
    }
  })
})

it('rejects an invalid URL before anything is sent', () => {
  expect(() => createBeaconClient({ url: 'https://user:pass@node.example.com', auth: token })).toThrow(
    'CONFIG_INVALID',
  )
})
