import { describe, expect, it } from 'vitest'
import type { CredentialKind, CredentialRecord } from '../grants/grant.ts'
import { sha256Hex } from '../credentials/secret.ts'
import { findCredential } from './find-credential.ts'
import { createDirectory } from './directory.ts'

function record(kind: CredentialKind, secret: string, nodeId = 'Node-1'): CredentialRecord {
  const grant = {
    credentialId: `${kind}-credential`,
    kind,
    nodeId,
    projectId: 'project',
    organizationId: 'organization',
    chain: 'evm',
    network: 'devnet',
    protocols: ['evm'],
    upstreams: { evm: 'devnet' },
  }
  return { sha256: sha256Hex(secret), grant }
}

const directory = createDirectory()
directory.replace([
  record('token', 't0k3n'),
  record('basic', 'zoë:pass:wörd'),
  record('x-token', 'grpc-only'),
])

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function withToken(token: string, headers: Record<string, string> = {}, domain?: string) {
  return findCredential(directory, { token }, headers, domain)
}

function withHeader(authorization?: string) {
  return findCredential(directory, {}, { authorization }, undefined)
}

describe('authenticate', () => {
  it('uses a token from the path regardless of the authorization header', () => {
    expect(withToken('t0k3n')).toMatchObject({ credentialId: 'token-credential' })
    expect(withToken('t0k3n', { authorization: 'Bearer x' })).toMatchObject({ nodeId: 'Node-1' })
    expect(withToken('other')).toEqual({ isFailedAttempt: true, reason: 'Unknown token.' })
    expect(withToken('other', { authorization: basic('zoë:pass:wörd') })).toEqual({
      isFailedAttempt: true,
      reason: 'Unknown token.',
    })
  })

  it.each([basic('zoë:pass:wörd'), basic('zoë:pass:wörd').replace('Basic', 'bAsIc  ')])(
    'accepts a user name and a password with colons and non-ASCII letters: %s',
    (authorization) => {
      expect(withHeader(authorization)).toMatchObject({ credentialId: 'basic-credential' })
    },
  )

  it.each([basic('zoë:pass'), basic('zoë'), basic(''), 'Basic', 'Basic ', 'Basic %%%', 'Basic 6zr/+Q=='])(
    'rejects %j',
    (authorization) => {
      expect(withHeader(authorization)).toEqual({
        isFailedAttempt: true,
        reason: expect.stringContaining('Unknown user name or password.'),
      })
    },
  )

  it('reports the next step without a credential, with a bearer token and with another scheme', () => {
    expect(withHeader()).toEqual({
      isFailedAttempt: false,
      reason: 'Put a token in the path or use HTTP basic authentication.',
    })
    expect(withHeader('Bearer t0k3n')).toEqual({
      isFailedAttempt: false,
      reason: expect.stringContaining('do not accept bearer'),
    })
    expect(withHeader('Digest x')).toEqual({
      isFailedAttempt: false,
      reason: expect.stringContaining('basic authentication'),
    })
  })

  it('accepts a secret only in the form that it was issued for', () => {
    expect(withToken('zoë:pass:wörd')).toHaveProperty('reason')
    expect(withToken('grpc-only')).toHaveProperty('reason')
    expect(withHeader(basic('t0k3n'))).toHaveProperty('reason')
    expect(withHeader(basic('grpc-only'))).toHaveProperty('reason')
  })

  it.each([
    ['node-1.nodes.example', true],
    ['NODE-1.Nodes.Example:8645', true],
    ['node-1.nodes.example.', true],
    ['gateway.example', true],
    ['nodes.example', true],
    ['other-nodes.example', true],
    ['[::1]:8645', true],
    ['node-2.nodes.example', false],
    ['node-2.nodes.example.:443', false],
    ['x.node-1.nodes.example', false],
    ['NODE-2.NODES.EXAMPLE', false],
  ])('with a node domain, the host %s is valid: %s', (host, isAccepted) => {
    for (const domain of ['nodes.example', 'Nodes.Example']) {
      const result = withToken('t0k3n', { host }, domain)
      if (isAccepted) expect(result).toHaveProperty('nodeId')
      else
        expect(result).toEqual({ isFailedAttempt: true, reason: 'The credential belongs to another node.' })
    }
  })

  it('accepts a credential on any host without a node domain, and without a host', () => {
    expect(withToken('t0k3n', { host: 'node-2.nodes.example' })).toHaveProperty('nodeId')
    expect(withToken('t0k3n', {}, 'nodes.example')).toHaveProperty('nodeId')
  })
})

describe('createDirectory', () => {
  it('contains the records of the latest snapshot only', () => {
    const changing = createDirectory()
    expect(changing.find('token', 'one')).toBeUndefined()
    changing.replace([record('token', 'one'), record('token', 'two')])
    expect(changing.size).toBe(2)
    expect(changing.find('token', 'one')).toBeDefined()
    changing.replace([record('token', 'two')])
    expect(changing.find('token', 'one')).toBeUndefined()
    expect(changing.find('token', 'two')).toBeDefined()
    expect(changing.size).toBe(1)
  })
})
