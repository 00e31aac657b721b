import { FairleadError } from '@fairlead/core'
import { describe, expect, it } from 'vitest'
import { parseUpstreams } from './parse-upstreams.ts'

const plain = {
  roles: [],
  weight: 1,
  requestsPerSecond: undefined,
  maxBatchedCalls: 20,
  certificateAuthorityFile: undefined,
  jwtSecretFile: undefined,
  isCordoned: false,
}

describe('parseUpstreams', () => {
  it.each([
    ['devnet', [{ ...plain, address: 'devnet' }]],
    ['', []],
    [
      ' http://a.example\n\thttps://name:p%23ss@b.example/key?x=1 ',
      [
        { ...plain, address: 'http://a.example' },
        { ...plain, address: 'https://name:p%23ss@b.example/key?x=1' },
      ],
    ],
    [
      'https://a.example#roles=archive,debug;weight=2;rps=50;batch=5;ca=/etc/ca.pem;jwt=/etc/jwt.hex;cordoned',
      [
        {
          address: 'https://a.example',
          roles: ['archive', 'debug'],
          weight: 2,
          requestsPerSecond: 50,
          maxBatchedCalls: 5,
          certificateAuthorityFile: '/etc/ca.pem',
          jwtSecretFile: '/etc/jwt.hex',
          isCordoned: true,
        },
      ],
    ],
    ['https://a.example#', [{ ...plain, address: 'https://a.example' }]],
  ])('reads %j', (text, records) => {
    expect(parseUpstreams(text)).toEqual(records)
  })

  it.each([
    ['roles=all', 'roles'],
    ['roles=', 'roles'],
    ['weight=0', 'weight'],
    ['weight=1.5', 'weight'],
    ['rps=many', 'rps'],
    ['batch=0', 'batch'],
    ['color=red', 'after #'],
    ['ca=', 'ca'],
    ['jwt=', 'jwt'],
    ['jwt', 'jwt'],
    ['cordoned=no', 'cordoned'],
  ])('rejects the parameters after #: %s', (fragment, rule) => {
    let problem: unknown
    try {
      parseUpstreams(`https://canary.example/canary#${fragment}`, 'FAIRLEAD_EVM_UPSTREAM')
    } catch (error) {
      problem = error
    }
    if (!FairleadError.is(problem, 'CONFIG_INVALID')) throw new Error('It was accepted.')
    expect(problem.details).toMatchObject({ option: 'FAIRLEAD_EVM_UPSTREAM' })
    expect(problem.details.rule).toContain(rule)
    expect(JSON.stringify([problem.message, problem.details])).not.toContain('canary')
  })

  it.each(['name:canary@', 'canary@', ':canary@'])('rejects jwt with user information: %s', (information) => {
    const text = `http://a.example#jwt=/canary.hex https://${information}a.example#jwt=/canary.hex`
    const rule = 'must have either user information or jwt, because both set the Authorization header'
    expect(() => parseUpstreams(text, 'FAIRLEAD_EVM_UPSTREAM')).toThrow(
      expect.objectContaining({ details: { option: 'FAIRLEAD_EVM_UPSTREAM', rule } }),
    )
    expect(() => parseUpstreams(text)).not.toThrow(/canary/)
  })
})
