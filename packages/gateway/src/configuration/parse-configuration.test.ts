import { FairleadError } from '@fairlead/core'
import { afterEach, describe, expect, it } from 'vitest'
import type { OptionName } from './options.ts'
import { options } from './options.ts'
import { parseConfiguration } from './parse-configuration.ts'

const canary = 'c4n4ry'

function problem(environment: Record<string, string>, text?: string) {
  try {
    parseConfiguration(environment, text === undefined ? undefined : { name: 'fairlead.yaml', text })
  } catch (error) {
    if (FairleadError.is(error, 'CONFIG_INVALID')) return { ...error.details, message: error.message }
    throw error
  }
  throw new Error('There was no problem.')
}

function fromEnvironment(name: OptionName, value: string): unknown {
  return parseConfiguration({ [options[name].environment]: value })[name]
}

function fromFile(text: string, environment: Record<string, string> = {}) {
  return parseConfiguration(environment, { name: 'fairlead.yaml', text })
}

describe('parseConfiguration', () => {
  it('sets every option to its default or undefined, and freezes the result', () => {
    const configuration = parseConfiguration({})
    expect(Object.keys(configuration)).toEqual(Object.keys(options))
    expect(configuration).toMatchObject({
      host: '127.0.0.1',
      port: 8645,
      requireHttps: true,
      network: 'mainnet',
    })
    expect(configuration.databaseUrl).toBeUndefined()
    expect(Object.isFrozen(configuration)).toBe(true)
  })

  it.each([
    ['port', '0', 0],
    ['port', '65535', 65_535],
    ['requireHttps', 'false', false],
    ['trustedProxies', '10.0.0.10, 2001:db8::/64', '10.0.0.10, 2001:db8::/64'],
    ['publicUrl', 'https://fairlead.example', 'https://fairlead.example'],
    ['publicUrl', 'http://[::1]:8645/', 'http://[::1]:8645'],
    ['host', '::', '::'],
    ['logLevel', 'silent', 'silent'],
    ['databaseUrl', 'postgres://user:p%40ss@host/db', 'postgres://user:p%40ss@host/db'],
    [
      'evmUpstream',
      'https://user:pass@node.example:8545/rpc?x=1',
      'https://user:pass@node.example:8545/rpc?x=1',
    ],
    ['nodeCorsOrigin', '*', '*'],
    ['nodeCorsOrigin', 'https://app.example:3000', 'https://app.example:3000'],
    ['nodeDomain', 'nodes.example', 'nodes.example'],
    ['metricsToken', 't', 't'],
  ] as const)('accepts %s=%s', (name, text, value) => {
    expect(fromEnvironment(name, text)).toBe(value)
  })

  it.each([
    ['port', '65536', 'an integer from 0 to 65535'],
    ['port', '-1', 'an integer from 0 to 65535'],
    ['port', '80.5', 'an integer'],
    ['port', '0x50', 'an integer'],
    ['port', ' 80', 'an integer'],
    ['port', canary, 'an integer'],
    ['maxBodyBytes', '1023', 'an integer from 1024 to 104857600'],
    ['requireHttps', 'yes', 'true or false'],
    ['requireHttps', '1', 'true or false'],
    ['publicUrl', 'fairlead.example', 'an http or https URL'],
    ['publicUrl', 'ftp://fairlead.example', 'an http or https URL'],
    ['publicUrl', `https://user:${canary}@fairlead.example`, 'without path or credentials'],
    ['publicUrl', 'https://fairlead.example/base', 'without path'],
    ['publicUrl', 'https://fairlead.example:port', 'an http or https URL'],
    ['logLevel', 'loud', 'one of debug, info, warn, error, silent'],
    ['databaseUrl', `mysql://root:${canary}@host/db`, 'postgresql://'],
    [
      'evmUpstream',
      `wss://user:${canary}@node.example`,
      'one or several http or https URLs, separated by spaces',
    ],
    ['evmUpstream', canary, 'one or several http or https URLs, separated by spaces'],
    ['nodeCorsOrigin', 'https://a.example, https://b.example', 'an origin'],
    ['nodeCorsOrigin', 'https://a.example\r\nx: y', 'an origin'],
    ['nodeDomain', 'https://nodes.example', 'a domain name'],
    ...['true', 'proxy.example', '0.0.0.0/0', '10.0.0.10,::/0', '::ffff:0:0/96', '0.0.0.0/1,128.0.0.0/1'].map(
      (text) =>
        ['trustedProxies', text, 'if every address were trusted, clients could choose their own'] as const,
    ),
    ['secretKey', 'PUT-YOUR-KEY-HERE', '32 random bytes'],
    ['secretKey', '0'.repeat(64), 'not zeros'],
  ] as const)('rejects %s=%j with its source and the expected value', (name, text, rule) => {
    const { message, ...context } = problem({ [options[name].environment]: text })
    expect(context).toEqual({ option: options[name].environment, rule: expect.stringContaining(rule) })
    expect(message).not.toContain(canary)
    expect(message).not.toContain(text)
  })

  it.each([
    [{ FAIRLEAD_TRUST_PROXY: 'true' }, '', 'FAIRLEAD_TRUST_PROXY'],
    [{}, 'trustProxy: true', 'trustProxy in fairlead.yaml'],
  ] as const)('rejects the removed option of %j and %j with its replacement', (environment, text, option) => {
    expect(problem(environment, text)).toMatchObject({
      option,
      rule: expect.stringMatching(/removed.*clients.*choose their own.*trustedProxies/),
    })
  })

  it('treats an empty variable as unset', () => {
    expect(fromEnvironment('port', '')).toBe(8645)
    expect(fromFile('port: 9000', { FAIRLEAD_PORT: '' }).port).toBe(9000)
  })

  it('prefers the environment over the file', () => {
    expect(fromFile('port: 9000\nnetwork: a', { FAIRLEAD_PORT: '9001' })).toMatchObject({
      port: 9001,
      network: 'a',
    })
  })
})

describe('the configuration file', () => {
  it.each([
    ['YAML', 'port: 9000\nrequireHttps: false\nhost: "::"\nmetricsToken: a*b # why\n'],
    ['JSON', '{"port": 9000, "requireHttps": false, "host": "::", "metricsToken": "a*b"}'],
  ])('may be %s', (_, text) => {
    expect(fromFile(text)).toMatchObject({ port: 9000, requireHttps: false, host: '::', metricsToken: 'a*b' })
  })

  it.each(['', '# nothing yet\n', '---\n', 'null', 'port:\n', '{}'])('may be empty: %j', (text) => {
    expect(fromFile(text).port).toBe(8645)
  })

  it.each([
    ['port: 70000', 'port in fairlead.yaml', 'an integer'],
    ['port: [1]', 'port in fairlead.yaml', 'not a list'],
    ['requireHttps: 1', 'requireHttps in fairlead.yaml', 'true or false, not this number'],
    ['host: 5', 'host in fairlead.yaml', 'a non-empty string, not this number'],
    ["host: ''", 'host in fairlead.yaml', 'not an empty string'],
    ['metricsToken: 918273645', 'metricsToken in fairlead.yaml', 'not this number'],
    [`metricsToken: { ${canary}: 1 }`, 'metricsToken in fairlead.yaml', 'not an object'],
    ['logLevel: true', 'logLevel in fairlead.yaml', 'not a boolean'],
    ['prot: 1', 'prot in fairlead.yaml', 'does not exist; known options are host, port,'],
    ['toString: 1', 'toString in fairlead.yaml', 'does not exist'],
    ['__proto__: 1', '__proto__ in fairlead.yaml', 'does not exist'],
    ['[1]', 'fairlead.yaml', 'must contain an object, not a list'],
    ['5', 'fairlead.yaml', 'must contain an object, not this number'],
    [`postgres://u:${canary}@h/d`, 'fairlead.yaml', 'must contain an object, not this string'],
    ['port: 1\nport: 2', 'fairlead.yaml', 'must be YAML or JSON; line 2, column 1: DUPLICATE_KEY'],
    [`{"metricsToken": "${canary}"`, 'fairlead.yaml', 'must be YAML or JSON; line'],
    [`metricsToken: *${canary}`, 'fairlead.yaml', 'without aliases'],
    [`metricsToken: !${canary}`, 'fairlead.yaml', 'must be YAML or JSON; line 1'],
    [`metricsToken: "${canary}" ${canary}`, 'fairlead.yaml', 'must be YAML or JSON; line 1'],
    [`metricsToken: @${canary}`, 'fairlead.yaml', 'must be YAML or JSON; line 1'],
    [`metricsToken: |${canary}\n  x`, 'fairlead.yaml', 'must be YAML or JSON; line 1'],
    [`%${canary}\n---\nport: 1`, 'fairlead.yaml', 'must be YAML or JSON'],
    ['port: 1\n---\nport: 2', 'fairlead.yaml', 'must be YAML or JSON'],
    ['a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]', 'fairlead.yaml', 'without aliases'],
  ])('%j is rejected', (text, option, rule) => {
    const { message, ...context } = problem({}, text)
    expect(context).toEqual({ option, rule: expect.stringContaining(rule) })
    expect(message).not.toMatch(new RegExp(`${canary}|918273645`))
  })

  describe('YAML warnings', () => {
    const warned: string[] = []
    const listener = (warning: Error) => warned.push(String(warning))
    afterEach(() => void process.off('warning', listener))

    it('are not printed, because they would contain values of the file', async () => {
      process.on('warning', listener)
      problem({}, `metricsToken: !${canary} x`)
      await new Promise((resolve) => setImmediate(resolve))
      expect(warned).toEqual([])
    })
  })
})
