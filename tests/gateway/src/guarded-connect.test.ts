import { once } from 'node:events'
import { createServer, type LookupFunction, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { validateTargets } from '@fairlead/platform-server/endpoints/upstream-targets'
import {
  guardedConnect,
  type ConnectionRules,
  operatorRules,
} from '@fairlead/gateway-core/network/guarded-connect'
import { protocols } from '@fairlead/platform-server/testing/protocols'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function listen(server = createServer()): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

/** Resolves each query to the next of several IP addresses. */
function resolving(...addressLists: readonly (readonly string[])[]): {
  resolve: LookupFunction
  names: string[]
} {
  const names: string[] = []
  const resolve: LookupFunction = (name, _, callback) => {
    const addresses = addressLists[names.length] ?? addressLists.at(-1) ?? []
    names.push(name)
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { resolve, names }
}

const publicOnly: ConnectionRules = { isPrivateAllowed: false }

/** Returns the connected IP address, or the code of the failure. */
async function outcome(
  host: string,
  port: number,
  rules: ConnectionRules,
  isSecure = false,
): Promise<string> {
  const socket = guardedConnect({ host, port, rejectUnauthorized: false }, isSecure, rules)
  closing.push(() => socket.destroy())
  return new Promise((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve(String(socket.remoteAddress)))
  })
}

describe('guardedConnect', () => {
  it('connects to the address that was checked and does not resolve again', async () => {
    const { port } = await listen()
    const { resolve, names } = resolving(['127.0.0.1'], ['169.254.169.254'])
    expect(await outcome('node.example', port, { isPrivateAllowed: true, resolve })).toBe('127.0.0.1')
    expect(names).toEqual(['node.example'])
  })

  it('rejects a host name that resolved to a public address when it was saved and to a private one at connect', async () => {
    const { port, sockets } = await listen()
    const { resolve, names } = resolving(['93.184.215.14'], ['127.0.0.1'])
    const upstreams = { evm: `http://node.example:${port}` }
    const asPromise = (name: string) =>
      new Promise<readonly string[]>((done) => {
        resolve(name, {}, (_, addresses) =>
          done([addresses].flat().map((address) => Object(address).address as string)),
        )
      })
    const writeRules = { isPrivateAllowed: false, gatewayUrls: () => [], resolve: asPromise }
    expect(await validateTargets(protocols, upstreams, writeRules)).toEqual({})
    expect(await outcome('node.example', port, { isPrivateAllowed: false, resolve })).toBe('REFUSED_TARGET')
    expect(names).toHaveLength(2)
    expect(sockets).toHaveLength(0)
  })

  it('connects to the allowed addresses of several', async () => {
    const { port } = await listen()
    const { resolve } = resolving(['169.254.169.254', 'fe80::1', '127.0.0.1'])
    expect(await outcome('node.example', port, { isPrivateAllowed: true, resolve })).toBe('127.0.0.1')
  })

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    '[::ffff:7f00:1]',
    '64:ff9b::7f00:1',
    '169.254.169.254',
    '0.0.0.0',
  ])('rejects the literal address %s where private networks are not allowed', async (host) => {
    const { port, sockets } = await listen()
    expect(await outcome(host, port, publicOnly)).toBe('REFUSED_TARGET')
    expect(await outcome(host, port, publicOnly, true)).toBe('REFUSED_TARGET')
    expect(sockets).toHaveLength(0)
  })

  it.each(['169.254.169.254', '::ffff:a9fe:a9fe', 'fe80::1', 'fd00:ec2::254', '0.0.0.0', '::'])(
    'rejects %s even when the operator has configured it',
    async (host) => {
      expect(await outcome(host, 80, operatorRules)).toBe('REFUSED_TARGET')
    },
  )

  it("rejects the gateway's own address where private networks are allowed", async () => {
    const { port, sockets } = await listen()
    const allowed = await listen()
    const ownAddress = {
      urls: () => [`http://127.0.0.1:${port}`, `https://public.example:${port}`],
      domain: () => 'nodes.example',
    }
    const names = ['rebound.example', 'public.example', 'PUBLIC.example.', 'a.nodes.example', 'localhost']
    for (const host of ['127.0.0.1', '::ffff:7f00:1', '::1', '127.8.8.8', ...names]) {
      const { resolve } = resolving(['127.0.0.1', '::1'])
      expect([
        host,
        await outcome(host, port, { isPrivateAllowed: true, gateway: ownAddress, resolve }),
      ]).toEqual([host, 'REFUSED_TARGET'])
    }
    expect(sockets).toHaveLength(0)
    expect(await outcome('127.0.0.1', allowed.port, { isPrivateAllowed: true, gateway: ownAddress })).toBe(
      '127.0.0.1',
    )
  })

  it('sends the host name to a TLS server, and verifies its certificate', async () => {
    const pems = await generate([{ name: 'commonName', value: 'node.example' }], { keyType: 'ec' })
    const server = createTlsServer({ key: pems.private, cert: pems.cert })
    const names: unknown[] = []
    server.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername))
    const { port } = await listen(server)
    const { resolve } = resolving(['127.0.0.1'])
    expect(await outcome('node.example', port, { isPrivateAllowed: true, resolve }, true)).toBe('127.0.0.1')
    expect(await outcome('127.0.0.1', port, operatorRules, true)).toBe('127.0.0.1')
    expect(await outcome('node.example', port, { ...publicOnly, resolve }, true)).toBe('REFUSED_TARGET')
    await vi.waitFor(() => expect(names).toEqual(['node.example', false]))
  })

  it('reads the rules for each connection', async () => {
    const { port } = await listen()
    const rules = { isPrivateAllowed: true }
    expect(await outcome('127.0.0.1', port, rules)).toBe('127.0.0.1')
    rules.isPrivateAllowed = false
    expect(await outcome('127.0.0.1', port, rules)).toBe('REFUSED_TARGET')
  })
})
