import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import { complaintsOfTargets, type TargetRules } from './upstream-targets.ts'

const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14'],
  'private.example': ['10.0.0.7'],
  'metadata.example': ['93.184.215.14', '169.254.169.254'],
  localhost: ['127.0.0.1'],
}

const rules: TargetRules = {
  isPrivateAllowed: true,
  ownUrls: () => ['http://0.0.0.0:8645', 'https://fairlead.example'],
  ownDomain: 'Nodes.example',
  resolve: async (name) => names[name] ?? Promise.reject(new Error('not found')),
}

async function complains(url: string, change: Partial<TargetRules> = {}): Promise<boolean> {
  const complaints = await complaintsOfTargets({ evm: url }, { ...rules, ...change })
  expect(JSON.stringify(complaints)).not.toContain('example')
  return Object.keys(complaints).includes('upstreams.evm')
}

const machine = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)

it.each([
  'http://public.example',
  'https://93.184.215.14/key',
  'http://private.example:8545',
  'http://127.0.0.1:8545',
  'http://[::1]:8545',
  'http://192.168.1.4',
  'http://unknown.example',
  // The port of this service at another machine.
  'http://private.example:8645',
])('lets %s pass where private networks may be called', async (url) => {
  expect(await complains(url)).toBe(false)
})

it.each([
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166',
  'http://0xa9fea9fe',
  'http://[fe80::1]',
  'http://[::ffff:169.254.169.254]',
  'http://0.0.0.0:8545',
  'http://metadata.example',
  'http://localhost:8645',
  'http://127.0.0.1:8645/token',
  'http://127.9.9.9:8645',
  'http://[::1]:8645',
  'https://fairlead.example/token',
  'http://nd-123-456-789.nodes.example',
  ...(machine ? [`http://${machine.address}:8645`] : []),
])('never lets %s pass', async (url) => {
  expect(await complains(url)).toBe(true)
})

it.each([
  ['http://public.example', false],
  ['http://93.184.215.14', false],
  ['http://private.example', true],
  ['http://127.0.0.1:8545', true],
  ['http://10.1.2.3', true],
  ['http://100.64.0.1', true],
  ['http://[fd00::1]', true],
  ['http://[::ffff:10.0.0.1]', true],
  ['http://unknown.example', true],
])('says of %s where private networks may not be called: %s', async (url, isRefused) => {
  expect(await complains(url, { isPrivateAllowed: false })).toBe(isRefused)
})

it('looks at every address of every protocol', async () => {
  const given = {
    evm: 'http://public.example http://169.254.0.1',
    websocket: 'ws://127.0.0.1:8645',
    beacon: 'http://public.example',
    jetton_v3: 'http://[fe80::1]',
    grpc: 'https://x-token:secret@169.254.0.1',
  }
  expect(Object.keys(await complaintsOfTargets(given, rules))).toEqual([
    'upstreams.evm',
    'upstreams.websocket',
    'upstreams.jetton_v3',
    'upstreams.grpc',
  ])
})
