import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import { validateTargets, type TargetRules } from './upstream-targets.ts'
import { protocols } from '../testing/protocols.ts'

const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14'],
  'private.example': ['10.0.0.7'],
  'metadata.example': ['93.184.215.14', '169.254.169.254'],
  localhost: ['127.0.0.1'],
}

const rules: TargetRules = {
  isPrivateAllowed: true,
  gatewayUrls: () => ['http://0.0.0.0:8645', 'https://fairlead.example'],
  nodeDomain: 'Nodes.example',
  resolve: async (name) => names[name] ?? Promise.reject(new Error('not found')),
}

async function isRejected(url: string, change: Partial<TargetRules> = {}): Promise<boolean> {
  const errors = await validateTargets(protocols, { evm: url }, { ...rules, ...change })
  expect(JSON.stringify(errors)).not.toContain('example')
  return Object.keys(errors).includes('upstreams.evm')
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
  // The gateway's port on another machine.
  'http://private.example:8645',
])('allows %s where private networks are allowed', async (url) => {
  expect(await isRejected(url)).toBe(false)
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
])('never allows %s', async (url) => {
  expect(await isRejected(url)).toBe(true)
})

// Each of them resolves to port 8645 of this machine, in all notations that a URL allows.
const notations = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '2130706433.',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7F.1',
  '0177.0.0.1',
  '017700000001',
  '0177.0x0.0.01',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '0.0.0.0',
  '0',
  '0x0',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0:1]',
  '[::0.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:7f01:203]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::ffff:0:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[64:ff9b:1:7f00:0:100::]',
  '[64:ff9b:1:7f:0:1::]',
  '[64:ff9b:1:0:7f:0:100::]',
  '[2002:7f00:1::]',
  '[2002:7f00:1::1]',
  '[2001:0:5db8:d70e::80ff:fffe]',
  '[2001:0:7f00:1::a247:28f1]',
  '[2001:db8::5efe:127.0.0.1]',
  '[2606:4700::5efe:7f00:1]',
  '[2606:4700::200:5efe:7f00:1]',
  '[fe80::5efe:127.0.0.1]',
  '[::ffff:0.0.0.0]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'api.localhost',
  'a.b.localhost.',
  'fairlead.example',
  'FairLead.Example.',
  'fairlead.example.',
  'f%61irlead.example',
  'nd-123-456-789.nodes.example.',
  'ND-123-456-789.NODES.example',
  'nodes.example',
]

it.each(notations)('recognizes this gateway in http://%s:8645', async (host) => {
  const gatewayUrls = () => ['http://0.0.0.0:8645', 'http://fairlead.example:8645']
  const errors = await validateTargets(protocols, { evm: `http://${host}:8645/T` }, { ...rules, gatewayUrls })
  expect(errors).toEqual({ 'upstreams.evm': ['Must not point to this gateway.'] })
})

it('covers many notations', () => expect(notations.length).toBeGreaterThanOrEqual(60))

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
])('reports for %s where private networks are not allowed: %s', async (url, expected) => {
  expect(await isRejected(url, { isPrivateAllowed: false })).toBe(expected)
})

it('checks every URL of every protocol', async () => {
  const input = {
    evm: 'http://public.example http://169.254.0.1',
    websocket: 'ws://127.0.0.1:8645',
    beacon: 'http://public.example',
    jetton_v3: 'http://[fe80::1]',
    grpc: 'https://x-token:secret@169.254.0.1',
  }
  expect(Object.keys(await validateTargets(protocols, input, rules))).toEqual([
    'upstreams.evm',
    'upstreams.websocket',
    'upstreams.jetton_v3',
    'upstreams.grpc',
  ])
})
