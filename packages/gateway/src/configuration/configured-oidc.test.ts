import { describe, expect, it } from 'vitest'
import { configuredOidc } from './configured-oidc.ts'
import { parseConfiguration } from './parse-configuration.ts'

const clientId = { FAIRLEAD_OIDC_CLIENT_ID: 'fairlead' }
const allowed = { FAIRLEAD_OIDC_ALLOW_LOOPBACK_HTTP: 'true' }

function issuer(url: string, others: Readonly<Record<string, string>> = clientId) {
  return configuredOidc(parseConfiguration({ FAIRLEAD_OIDC_ISSUER: url, ...others }))
}

describe('configuredOidc', () => {
  it('is undefined without an issuer', () => {
    expect(configuredOidc(parseConfiguration(clientId))).toBeUndefined()
  })

  it('accepts https, and http on loopback where it is allowed', () => {
    expect(issuer('https://id.example.com')).toMatchObject({ isHttpAllowed: false, clientId: 'fairlead' })
    for (const host of ['localhost', '127.0.0.1:9000', '[::1]:9000']) {
      expect(issuer(`http://${host}/realm`, { ...clientId, ...allowed })).toMatchObject({
        isHttpAllowed: true,
      })
    }
  })

  it.each([
    ['http://127.0.0.1:9000', clientId],
    ['http://localhost', clientId],
    ['http://id.example.com', clientId],
    ['http://id.example.com', { ...clientId, ...allowed }],
    ['http://localhost.example.com', { ...clientId, ...allowed }],
    ['http://127.0.0.1@id.example.com', { ...clientId, ...allowed }],
    ['HTTP://id.example.com', { ...clientId, ...allowed }],
    ['https://id.example.com', {}],
  ])('rejects %s with %j', (url, others) => {
    expect(() => issuer(url, others)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})
