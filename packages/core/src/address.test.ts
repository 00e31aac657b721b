import { describe, expect, it } from 'vitest'
import { type NodeProtocol, nodeAddress } from './address.ts'
import type { NodeCredential } from './credential.ts'
import { FairleadError } from './error.ts'
import { redact } from './redact.ts'

const token: NodeCredential = { kind: 'token', token: 't0k3n' }
const basic: NodeCredential = { kind: 'basic', username: 'user', password: 'pass' }
const xToken: NodeCredential = { kind: 'x-token', token: 'x70k3n' }

describe('nodeAddress', () => {
  it.each<[NodeProtocol, NodeCredential, string | undefined, string]>([
    ['evm', token, 'evm', 'https://node.example.com/t0k3n/evm'],
    ['evm', token, undefined, 'https://node.example.com/t0k3n'],
    ['evm', basic, undefined, 'https://node.example.com'],
    ['evm', basic, 'evm', 'https://node.example.com/evm'],
    ['websocket', token, undefined, 'wss://node.example.com/ws/t0k3n'],
    ['websocket', basic, undefined, 'wss://node.example.com/ws'],
    ['beacon', token, undefined, 'https://node.example.com/beacon/t0k3n'],
    ['beacon', basic, undefined, 'https://node.example.com/beacon'],
    ['jetton', token, undefined, 'https://node.example.com/t0k3n'],
    ['jetton', basic, undefined, 'https://node.example.com'],
    ['grpc', xToken, undefined, 'node.example.com:443'],
  ])('puts the credential of %s (%o) where the interface wants it', (protocol, credential, path, url) => {
    expect(nodeAddress(protocol, 'https://node.example.com', credential, path).url).toBe(url)
  })

  it('carries basic credentials and x-tokens in headers', () => {
    expect(nodeAddress('evm', 'https://n.example', basic).headers).toEqual({
      authorization: 'Basic dXNlcjpwYXNz',
    })
    expect(nodeAddress('grpc', 'https://n.example', xToken).headers).toEqual({ 'x-token': 'x70k3n' })
    expect(nodeAddress('evm', 'https://n.example', token).headers).toEqual({})
  })

  it('keeps the port and a path prefix, whatever the scheme and the trailing slashes', () => {
    expect(nodeAddress('evm', 'http://127.0.0.1:8645/', token).url).toBe('http://127.0.0.1:8645/t0k3n')
    expect(nodeAddress('evm', 'https://n.example/chain/main//', token).url).toBe(
      'https://n.example/chain/main/t0k3n',
    )
    expect(nodeAddress('websocket', 'ws://127.0.0.1:8645', token).url).toBe('ws://127.0.0.1:8645/ws/t0k3n')
    expect(nodeAddress('grpc', 'http://127.0.0.1:9000', xToken).url).toBe('127.0.0.1:9000')
  })

  it('escapes a token that would change the path', () => {
    expect(nodeAddress('evm', 'https://n.example', { kind: 'token', token: 'a/../b?c#d' }).url).toBe(
      'https://n.example/a%2F..%2Fb%3Fc%23d',
    )
  })

  it.each<[string, NodeProtocol, string, NodeCredential, string]>([
    ['no URL', 'evm', 's3cr3t-not-a-url', token, 'url'],
    ['another scheme', 'evm', 'ftp://n.example/s3cr3t', token, 'url'],
    ['credentials in the URL', 'evm', 'https://user:s3cr3t@n.example', token, 'url'],
    ['a query', 'evm', 'https://n.example/?key=s3cr3t', token, 'url'],
    ['an empty token', 'evm', 'https://n.example', { kind: 'token', token: '' }, 'auth'],
    ['an x-token on HTTP', 'evm', 'https://n.example', { kind: 'x-token', token: 's3cr3t' }, 'auth.kind'],
    ['a token on gRPC', 'grpc', 'https://n.example', { kind: 'token', token: 's3cr3t' }, 'auth.kind'],
    [
      'a colon in a user name',
      'evm',
      'https://n.example',
      { kind: 'basic', username: 'a:b', password: 's3cr3t' },
      'auth.username',
    ],
  ])('refuses %s without showing it', (_, protocol, url, credential, option) => {
    const attempt = () => nodeAddress(protocol, url, credential)
    expect(attempt).toThrow(FairleadError)
    try {
      attempt()
    } catch (error) {
      expect(FairleadError.is(error, 'CONFIG_INVALID') && error.details.option).toBe(option)
      expect(String(error)).not.toContain('s3cr3t')
    }
  })

  it('knows a secret in the forms in which an error may show it', () => {
    const password = 'a"b\\c'
    const { secrets } = nodeAddress('evm', 'https://n.example', { kind: 'basic', username: 'u', password })
    const shown = `${password} ${JSON.stringify({ password })} ${encodeURIComponent(password)} ${btoa(`u:${password}`)}`
    expect(redact(shown, secrets)).toBe('*** {"password":"***"} *** ***')
  })
})
