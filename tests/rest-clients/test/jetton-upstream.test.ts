import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { type ServerProcess, startProcess, temporaryFolder } from '@fairlead/e2e-tests/gateway'

// The embedded chain of the shared gateway represents a node on a network. It accepts any credential.
const {
  nodes: [, , { faucet_url: faucet }],
} = inject('development')
const { host } = new URL(faucet)
const secrets = ['canary-user-5d2f', 'canary-pass-5d2f', 'canary-key-5d2f', 'canary-path-5d2f']
const [user, password, key, path] = secrets

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let gateway: ServerProcess
beforeAll(async () => {
  folder = await temporaryFolder()
  gateway = await startProcess('serve', folder.path, {
    FAIRLEAD_LOG_LEVEL: 'debug',
    FAIRLEAD_JETTON_UPSTREAM: `http://${user}:${password}@${host}/?api_key=${key}`,
    // Nothing listens there.
    FAIRLEAD_JETTON_V3_UPSTREAM: `http://127.0.0.1:9/${path}?api_key=${key}`,
  })
})
afterAll(async () => {
  await gateway.end('SIGTERM')
  await folder.remove()
})

it('serves a remote upstream, and does not reveal the credentials of its URL', async () => {
  // The credentials are printed once, at the first start.
  await vi.waitUntil(() => /password +\S+\n/.test(gateway.output()), 20_000)
  const [, base = ''] = /running at (\S+)/.exec(gateway.output()) ?? []
  const [, token = ''] = /token +(\S+)/.exec(gateway.output()) ?? []
  const call = async (target: string, init?: RequestInit) => {
    const response = await fetch(`${base}/${token}${target}`, init)
    return {
      status: response.status,
      text: `${JSON.stringify([...response.headers])}${await response.text()}`,
    }
  }
  const responses = await Promise.all([
    call('/api/v2/getConfigParam?config_id=15'),
    call('/api/v2/getMasterchainInfo'),
    call('/api/v2/jsonRPC', {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"getConfigAll","params":{}}',
    }),
    call('/api/v2/shards?seqno=2147483647'),
    call('/api/v2/getConfigParam?config_id=123456'),
    call(`/api/v3/jetton/burns?address=0:${'5'.repeat(64)}`),
    call('/api/v3/masterchainInfo'),
  ])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 500, 404, 502, 502])
  const metrics = await (await fetch(`${base}/metrics`)).text()
  expect(metrics).toContain('getConfigParam')
  const output = [...responses.map(({ text }) => text), metrics, gateway.output()].join('\n')
  const basic = btoa(`${user}:${password}`)
  expect([...secrets, basic, host].filter((secret) => output.includes(secret))).toEqual([])
  expect(gateway.output()).toContain('"node request"')
  expect(gateway.output().split(token).length, 'how often the token is printed, plus 1').toBe(2)
})
