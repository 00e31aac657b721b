import { describe, expect, it } from 'vitest'
import { targetProblem } from './target-url.ts'

const publicOnly = { isPrivateAllowed: false }
const all = { isPrivateAllowed: true }

describe('targetProblem', () => {
  it.each(['https://hooks.example/a?b=c', 'https://hooks.example:8443', 'https://93.184.215.14/'])(
    'accepts %s',
    (url) => {
      expect(targetProblem(url, publicOnly)).toBeUndefined()
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
    ['https://127.0.0.1/', /public IP address/],
    ['https://2130706433/', /public IP address/],
    ['https://0x7f.1/', /public IP address/],
    ['https://0177.0.0.1/', /public IP address/],
    ['https://127.1/', /public IP address/],
    ['https://１２７.0.0.1/', /public IP address/],
    ['https://[::1]/', /public IP address/],
    ['https://[::ffff:127.0.0.1]/', /public IP address/],
    ['https://[0:0:0:0:0:ffff:7f00:1]/', /public IP address/],
    ['https://[fe80::1]/', /public IP address/],
    ['https://169.254.169.254/latest/meta-data/', /public IP address/],
    ['https://0.0.0.0/', /public IP address/],
    [' https://hooks.example/', /spaces/],
    ['https://hooks.example/ ', /spaces/],
    ['https://hooks.example/a b', /spaces/],
    ['https://hooks.example/a\tb', /control characters/],
    ['https://hooks.example/a\r\nb', /control characters/],
    ['https://hooks.ex\nample/', /control characters/],
    ['https://hooks.example/\u0000', /control characters/],
    ['https://hooks.example/\u007f', /control characters/],
    ['https://hooks.example/\u0085', /control characters/],
    ['https://hooks.example/\u00a0', /spaces/],
    ['https://hooks.example/\u2028', /spaces/],
    ['https://hooks.example\\a', /backslashes/],
    [' https://EXAMPLE.com\\a\r\nb/\t', /backslashes/],
  ])('rejects %s', (url, problem) => {
    expect(targetProblem(url, publicOnly)).toMatch(problem)
  })

  it('accepts plain HTTP and private addresses where they are allowed, but no link-local addresses', () => {
    expect(targetProblem('http://127.0.0.1:9000/hook', all)).toBeUndefined()
    expect(targetProblem('http://169.254.169.254/', all)).toMatch(/public IP address/)
    expect(targetProblem('gopher://127.0.0.1/', all)).toMatch(/begin with/)
  })
})
