import { describe, expect, it } from 'vitest'
import type { PublicReport } from './format-report.ts'
import { runProbe } from './run-probe.ts'
import { type ReceivedCall, content, nodeWithResponse, defaultCommand } from '../testing/probed-node.ts'

describe('a report', () => {
  const respond = (call: ReceivedCall): object =>
    ['eth_getProof', 'eth_getCode'].includes(call.method)
      ? { error: { code: -32000, message: `no | *way* /c4n4ry/<b>\n\u001B[31m for eth_getCode` } }
      : call.method === 'eth_mining'
        ? { error: { code: -32601, message: 'Method not found' } }
        : call.method === 'web3_clientVersion'
          ? { result: 'node/c4n4ry/v1' }
          : content(call)
  const names = ['eth_getProof', 'eth_mining', 'eth_chainId']
  const formatted = async (format: 'table' | 'markdown' | 'json') => {
    const url = `${await nodeWithResponse(respond)}/c4n4ry`
    const signal = new AbortController().signal
    return runProbe({ ...defaultCommand, methods: names, format, url }, () => undefined, signal)
  }

  it('is a text table', async () => {
    const lines = (await formatted('table')).split('\n')
    expect(lines[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+: node\/\*\*\*\/v1, chain 0x1$/)
    expect(lines.slice(1, 4)).toEqual([
      '2 available, 1 missing',
      '',
      expect.stringMatching(/^method {8}http {2,}note$/),
    ])
    expect(lines[4]).toMatch(/^eth_chainId {3}yes [\d.]+ ms$/)
    expect(lines[5]).toMatch(
      /^eth_getProof {2}yes [\d.]+ ms -32000 {2}input rejected: no \| \*way\* \/\*\*\*\/<b> \[31m for eth_getCode$/,
    )
    expect(lines[6]).toMatch(/^eth_mining {4}no -32601 +not offered by the node$/)
  })

  it('is a Markdown table that text of a node cannot break', async () => {
    const lines = (await formatted('markdown')).split('\n').slice(3)
    expect(lines[0]).toBe('| method | http | note |')
    expect(lines[1]).toBe('| --- | --- | --- |')
    expect(lines[3]).toContain(String.raw`no \| \*way\* /\*\*\*/\<b\> [31m for eth\_getCode`)
    for (const line of lines.slice(2, 5)) expect(line.match(/(?<!\\)\|/g)).toHaveLength(4)
  })

  it('is one JSON object', async () => {
    const report = JSON.parse(await formatted('json')) as PublicReport
    expect(report).toEqual({
      node: { clientVersion: 'node/***/v1', chainId: '0x1', host: expect.stringMatching(/^http:\/\/127/) },
      totals: { available: 2, missing: 1, refused: 0, failed: 0, skipped: 0 },
      methods: [
        {
          method: 'eth_chainId',
          transport: 'http',
          outcome: 'available',
          note: '',
          code: null,
          message: '',
          latencyMs: expect.any(Number),
        },
        expect.objectContaining({ method: 'eth_getProof', code: -32000, note: 'input rejected' }),
        expect.objectContaining({ method: 'eth_mining', outcome: 'missing', message: 'Method not found' }),
      ],
    })
  })
})
