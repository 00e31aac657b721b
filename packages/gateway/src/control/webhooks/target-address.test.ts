import { describe, expect, it } from 'vitest'
import { isAllowedTarget } from './target-address.ts'
import { problemOfTarget } from './target-url.ts'

const publicOnly = { isPrivateAllowed: false }
const all = { isPrivateAllowed: true }

describe('isAllowedTarget', () => {
  it.each([
    '1.1.1.1',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:93.184.215.14',
    '64:ff9b::5db8:d70e',
  ])('takes %s', (address) => {
    expect([isAllowedTarget(address, publicOnly), isAllowedTarget(address, all)]).toEqual([true, true])
  })

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '100.64.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.8',
    '192.0.2.1',
    '198.19.0.1',
    '203.0.113.9',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.1.2.3',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
  ])('takes %s only where private targets are allowed', (address) => {
    expect([isAllowedTarget(address, publicOnly), isAllowedTarget(address, all)]).toEqual([false, true])
  })

  it.each([
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    'fe80::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2002:7f00:1::',
    '4000::1',
    '::ffff:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '::127.0.0.1',
  ])('never takes %s', (address) => {
    expect([isAllowedTarget(address, publicOnly), isAllowedTarget(address, all)]).toEqual([false, false])
  })
})

describe('problemOfTarget', () => {
  it.each(['https://hooks.example/a?b=c', 'https://hooks.example:8443', 'https://93.184.215.14/'])(
    'finds nothing wrong with %s',
    (url) => {
      expect(problemOfTarget(url, publicOnly)).toBeUndefined()
    },
  )

  it.each([
    ['http://hooks.example/', /begin with https/],
    ['ftp://hooks.example/', /begin with https/],
    ['file:///etc/passwd', /begin with https/],
    ['hooks.example/a', /absolute URL/],
    ['https://user@hooks.example/', /user name/],
    ['https://:secret@hooks.example/', /password/],
    ['https://hooks.example/#a', /fragment/],
    ['https://127.0.0.1/', /public address/],
    ['https://2130706433/', /public address/],
    ['https://0x7f.1/', /public address/],
    ['https://0177.0.0.1/', /public address/],
    ['https://127.1/', /public address/],
    ['https://１２７.0.0.1/', /public address/],
    ['https://[::1]/', /public address/],
    ['https://[::ffff:127.0.0.1]/', /public address/],
    ['https://[0:0:0:0:0:ffff:7f00:1]/', /public address/],
    ['https://[fe80::1]/', /public address/],
    ['https://169.254.169.254/latest/meta-data/', /public address/],
    ['https://0.0.0.0/', /public address/],
  ])('refuses %s', (url, problem) => {
    expect(problemOfTarget(url, publicOnly)).toMatch(problem)
  })

  it('takes plain HTTP and private addresses where they are allowed, but none of the link itself', () => {
    expect(problemOfTarget('http://127.0.0.1:9000/hook', all)).toBeUndefined()
    expect(problemOfTarget('http://169.254.169.254/', all)).toMatch(/public address/)
    expect(problemOfTarget('gopher://127.0.0.1/', all)).toMatch(/begin with/)
  })
})
