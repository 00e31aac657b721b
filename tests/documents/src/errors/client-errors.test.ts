import { type ErrorCode, type ErrorDetails, FairleadError, isRetryable } from '@fairlead/core'
import { describeError } from '@fairlead/core/error-messages'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { slugsOf } from '@fairlead/docs/.vitepress/slug.ts'
import { repository } from '../pages/page.ts'

const path = 'docs/reference/errors.md'
const page = readFileSync(join(repository, path), 'utf8')
const headings = [...page.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)

/** The sections of the codes: the level-3 headings of "Clients". */
const sections = new Map(
  (page.split(/^## /m).find((part) => part.startsWith('Clients\n')) ?? '')
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', section]),
)

/** The error of each example on the page; the compiler keeps the list complete. */
const examples: { readonly [code in ErrorCode]: ErrorDetails[code] } = {
  CONFIG_INVALID: { option: 'baseUrl', rule: 'must be https, or http on loopback' },
  TRANSPORT_TIMEOUT: { operation: 'eth_getLogs', attempt: 3, timeoutMs: 30_000, reason: '' },
  TRANSPORT_FAILED: {
    operation: 'eth_chainId',
    attempt: 3,
    timeoutMs: 30_000,
    reason: 'fetch failed ECONNREFUSED',
  },
  TRANSPORT_CLOSED: {
    operation: 'eth_subscribe',
    closeCode: 4401,
    reason: 'The credential is no longer valid.',
  },
  HTTP_STATUS: { operation: 'GET /v2/projects/', status: 404, detail: 'Invalid page.', requestId: '01J' },
  RPC_ERROR: {
    operation: 'eth_call',
    rpcCode: -32_005,
    detail: 'Rate limit exceeded.',
    data: { reason: 'rate', retry_after_ms: 250 },
    status: 429,
  },
  RPC_QUORUM: { operation: 'eth_getBalance', needed: 2, agreed: 1, asked: 3 },
  GRPC_STATUS: {
    operation: '/geyser.Geyser/GetSlot',
    status: 16,
    statusName: 'UNAUTHENTICATED',
    detail: 'The token is invalid.',
  },
  STREAM_OVERFLOW: { operation: 'subscribe', capacity: 1_000 },
  STREAM_GAP: {
    operation: 'subscribeGeyser',
    reason: 'the node no longer has the missed slots',
    firstAvailableSlot: '150',
  },
  DECODE_INVALID: { operation: 'eth_chainId', path: '$', rule: 'must be a JSON-RPC response' },
}
const codes = Object.keys(examples) as readonly ErrorCode[]

describe('the reference of the errors of clients', () => {
  it('has a section for each code, and no other', () => {
    expect([...sections.keys()]).toEqual(codes)
  })

  it.each(codes)('has causes, what to do and an example of %s that the class creates', (code) => {
    const section = sections.get(code) ?? ''
    for (const part of ['Details', 'Causes', 'What to do']) {
      expect(section).toMatch(new RegExp(`^- \\*\\*${part}\\*\\*: \\S`, 'm'))
    }
    for (const name of Object.keys(examples[code])) expect(section).toContain(`\`${name}\``)
    const [, example] = /^```text\n(.+)\n```$/m.exec(section) ?? []
    expect(example).toBe(describeError(code, examples[code]).message)
  })

  it.each(codes)('has the anchor that the link of %s names', (code) => {
    const [address = '', anchor = ''] = describeError(code, examples[code]).docsUrl.split('#')
    expect(address).toBe(`https://github.com/fairlead-dev/fairlead/blob/main/${path}`)
    expect(slugsOf(headings).filter((slug) => slug === anchor)).toEqual([anchor])
    expect(headings[slugsOf(headings).indexOf(anchor)]).toBe(code)
  })

  it('has the statuses, reasons and codes for which isRetryable is true', () => {
    const row = (start: string) => page.split('\n').find((line) => line.startsWith(start)) ?? ''
    const integers = (text: string) => (text.match(/-?\d+/g) ?? []).map(Number)
    const http = (status: number) =>
      new FairleadError('HTTP_STATUS', { ...examples.HTTP_STATUS, status, requestId: '' })
    const statuses = Array.from({ length: 200 }, (_, index) => 400 + index)
    expect(integers(row('| `HTTP_STATUS` '))).toEqual(statuses.filter((status) => isRetryable(http(status))))

    const socket = row('| `RPC_ERROR` over a WebSocket')
    const rpc = (rpcCode: number, data?: Readonly<Record<string, unknown>>, operation = 'eth_call') =>
      isRetryable(new FairleadError('RPC_ERROR', { operation, rpcCode, detail: '', data, status: 200 }))
    const [, listed = ''] = /true for the reasons (.*?) `retry_after_ms`/.exec(socket) ?? []
    const reasons = [...listed.matchAll(/`([\w ]+)`/g)].map(([, reason = '']) => reason)
    const refusals = new Set([...page.matchAll(/`reason: "([\w ]+)"`/g)].map(([, reason = '']) => reason))
    expect(new Set(reasons)).toEqual(new Set([...refusals].filter((reason) => rpc(-32_005, { reason }))))
    const [, listedCodes = ''] = /for the codes ([^;.|]*)/.exec(socket) ?? []
    const candidates = [...Array.from({ length: 768 }, (_, index) => index - 32_768), 3, 429, 4444]
    expect(integers(listedCodes)).toEqual(candidates.filter((code) => rpc(code)))
    expect([
      rpc(-32_000, { retry_after_ms: 1 }),
      rpc(-32_000),
      rpc(-32_005, undefined, 'eth_getLogs'),
    ]).toEqual([true, false, false])
  })
})
