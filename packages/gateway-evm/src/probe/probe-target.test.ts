import { FairleadError } from '@fairlead/core'
import { describe, expect, it } from 'vitest'
import { probeTarget } from './probe-target.ts'

const http = ['http', 'https']

describe('the URL of a node', () => {
  it.each([
    ['https://node.example/c4n4ry/evm?key=c4n4ry2', 'https://node.example'],
    ['https://user:c4n4ry@node.example:8443/', 'https://node.example:8443'],
    ['https://c4n4ry0123456789.node.example/x', 'https://***.node.example'],
    ['http://[::1]:8545', 'http://[::1]:8545'],
    ['http://127.0.0.1:8545/', 'http://127.0.0.1:8545'],
  ])('is displayed as scheme and host, %s', (text, display) => {
    expect(probeTarget(text, http, 'node-url').display).toBe(display)
  })

  it('is redacted from all text of a node', () => {
    const address =
      'https://c4n4ry-user:c4n4ry%2Fpass@c4n4ry0123456789.example/c4n4rytoken/evm?key=c4n4ryquery'
    const { clean, headers } = probeTarget(address, http, 'node-url')
    const encoded = headers['authorization']?.slice(6) ?? ''
    const texts = [
      `no route for /c4n4rytoken/evm?key=c4n4ryquery`,
      `bad login c4n4ry-user:c4n4ry/pass (c4n4ry%2Fpass, ${encoded})`,
      `host c4n4ry0123456789 ${address}`,
    ]
    for (const text of texts) {
      expect(clean(text)).toContain('***')
      expect(clean(text)).not.toMatch(/c4n4ry/)
      expect(clean(text)).not.toContain(encoded)
    }
    expect(clean('the evm api is down')).toBe('the evm api is down')
    const short = probeTarget('http://us:pa@node.example/a?x=e', http, 'node-url')
    expect(short.clean('us:pa, at /a, use path ae of bus')).toBe('***:***, at /***, use path ae of bus')
  })

  it('has control characters and long text removed', () => {
    const { clean } = probeTarget('http://127.0.0.1', http, 'node-url')
    expect(clean('a\u001B[2Jb\r\nc\u0000d\u202Ee')).toBe('a [2Jb c d e')
    expect(clean('x'.repeat(5_000)).length).toBeLessThan(200)
  })

  it('is used without user name and password, which are sent in a header', () => {
    const { url, headers } = probeTarget('https://us%40er:p%3Aa%25ss@node.example/t#x', http, 'node-url')
    expect(url).toBe('https://node.example/t')
    expect(Buffer.from(headers['authorization']?.slice(6) ?? '', 'base64').toString()).toBe('us@er:p:a%ss')
    expect(probeTarget('http://node.example', http, 'node-url').headers).toEqual({})
  })

  it.each(['c4n4ry', 'ftp://c4n4ry', 'https://', 'http:// c4n4ry', 'wss://c4n4ry', ''])(
    'is rejected without revealing it: %j',
    (text) => {
      const error: unknown = (() => {
        try {
          return probeTarget(text, http, 'node-url')
        } catch (thrown) {
          return thrown
        }
      })()
      expect(FairleadError.is(error, 'CONFIG_INVALID')).toBe(true)
      expect(error).toMatchObject({ details: { option: 'node-url' } })
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('c4n4ry')
    },
  )
})
