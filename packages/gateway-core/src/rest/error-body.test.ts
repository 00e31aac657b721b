import { describe, expect, it } from 'vitest'
import { readNodeError } from './error-body.ts'

const generic = 'The upstream returned HTTP 500.'

const errorBody = (...args: Parameters<typeof readNodeError>) => {
  const { status, code = status, message, failures } = readNodeError(...args)
  return JSON.stringify({ code, message, failures })
}

describe('an upstream error body', () => {
  it.each([
    ['the API', '{"code":404,"message":"missing"}', 'application/json', { code: 404, message: 'missing' }],
    ['the API with a custom code', '{"code":7,"message":"m"}', 'application/json', { code: 7, message: 'm' }],
    [
      'a stack',
      '{"code":500,"message":"m","stacktraces":["at /home"]}',
      'application/json',
      { code: 500, message: 'm' },
    ],
    [
      'a batch',
      '{"code":400,"message":"some failed","failures":[{"index":1,"message":"bad","at":"x"},{"index":"2"},null]}',
      'application/json; charset=utf-8',
      { code: 400, message: 'some failed', failures: [{ index: 1, message: 'bad' }] },
    ],
    [
      'an older server',
      '{"statusCode":500,"error":"Internal Server Error","message":"no state"}',
      'application/json',
      { code: 500, message: 'no state' },
    ],
    ['an error alone', '{"error":"no state"}', 'application/json', { code: 500, message: 'no state' }],
    [
      'a rate limiter',
      '{"ok":false,"result":"Ratelimit exceed","code":429}',
      'application/json',
      { code: 429, message: 'Ratelimit exceed' },
    ],
    ['a framework', '{"detail":"Not Found"}', 'application/json', { code: 500, message: 'Not Found' }],
    ['a problem', '{"message":"no","title":"t"}', 'application/problem+json', { code: 500, message: 'no' }],
    ['JSON without a type', ' {"message":"no"}', undefined, { code: 500, message: 'no' }],
    ['JSON under another type', '{"message":"no"}', 'text/html', { code: 500, message: 'no' }],
    ['a JSON string', '"no"', 'application/json', { code: 500, message: 'no' }],
    ['plain text', 'no\r\nstate\u0007 ', 'text/plain; charset=utf-8', { code: 500, message: 'no state' }],
    ['text without a type', 'no state', undefined, { code: 500, message: 'no state' }],
    ['a long text', 'x'.repeat(5_000), 'text/plain', { code: 500, message: 'x'.repeat(1_000) }],
    ['a page', '<html>Bad Gateway</html>', 'text/html', { code: 500, message: generic }],
    ['bytes', '\u0000\u0001', 'application/octet-stream', { code: 500, message: generic }],
    ['nothing', '', undefined, { code: 500, message: generic }],
    ['JSON that is none', '{"message":', 'application/json', { code: 500, message: generic }],
    ['JSON without a reason', '{"error":{"a":1}}', 'application/json', { code: 500, message: generic }],
    ['null', 'null', 'application/json', { code: 500, message: generic }],
  ])('reads %s', (_, text, type, expected) => {
    expect(JSON.parse(errorBody(500, text, type, []))).toEqual(expected)
  })

  it('redacts text that reveals the URL of the node', () => {
    const text = JSON.stringify({
      code: 404,
      message: 'Route GET:/key-of-path/eth/v1/x not found at http://node.example',
      failures: [{ index: 0, message: 'sent to node.example' }],
    })
    const body = errorBody(404, text, 'application/json', [
      '/key-of-path',
      'http://node.example',
      'node.example',
    ])
    expect(body).not.toMatch(/key-of-path|node\.example/)
    expect(JSON.parse(body)).toMatchObject({ message: 'Route GET:***/eth/v1/x not found at ***' })
  })
})
