import { describe, expect, it } from 'vitest'
import { methodRateLines, methodRatesOf } from '../pages/limits/limit-kinds.ts'
import { upstreamProtocolsOf, upstreamsOf } from '../pages/nodes/upstream-fields.tsx'
import {
  selectedValue,
  localTime,
  numberOrNull,
  text,
  textOrNull,
  checkedValues,
  timeOrNull,
} from './values.ts'

function form(values: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(values)) data.append(name, value)
  return data
}

describe('form values', () => {
  it('trims text', () => {
    const data = form({ name: ' Harbour ', none: '  ' })
    expect([text(data, 'name'), text(data, 'other'), textOrNull(data, 'none')]).toEqual(['Harbour', '', null])
  })

  it('parses numbers: empty is null, invalid is NaN', () => {
    const data = form({ rate: '50', none: '', word: 'x' })
    expect(['rate', 'none', 'word'].map((name) => numberOrNull(data, name))).toEqual([50, null, Number.NaN])
  })

  it('accepts only valid choices', () => {
    const data = form({ role: 'viewer', other: 'king' })
    expect(selectedValue(data, 'role', ['editor', 'viewer'])).toBe('viewer')
    expect(selectedValue(data, 'other', ['editor', 'viewer'])).toBe('editor')
    data.append('scopes', 'nodes:read')
    data.append('scopes', 'unknown')
    expect(checkedValues(data, 'scopes', ['nodes:read', 'nodes:write'])).toEqual(['nodes:read'])
  })

  it('displays times in the local time zone and sends them in UTC', () => {
    const at = '2026-03-09T14:26:00.000Z'
    expect(timeOrNull(form({ at: localTime(at) }), 'at')).toBe(at)
    expect([localTime(null), timeOrNull(form({ at: '' }), 'at')]).toEqual(['', null])
  })
})

describe('per-method rate limits', () => {
  it('parses and formats one limit per line', () => {
    const rates = {
      'debug_*': { requests_per_second: 2, burst: 10 },
      eth_call: { requests_per_second: 50, burst: null },
    }
    expect(methodRateLines(rates)).toBe('debug_* 2 10\neth_call 50')
    expect(methodRatesOf(`\n${methodRateLines(rates)}\n`)).toEqual(rates)
    expect(methodRatesOf(' \n')).toBeNull()
  })
})

describe('upstreams of a node', () => {
  it('lists the protocols of the node', () => {
    expect(upstreamProtocolsOf(['evm'])).toEqual(['evm', 'websocket'])
    expect(upstreamProtocolsOf(['jetton', 'grpc'])).toEqual(['jetton', 'jetton_v3', 'grpc'])
  })

  it('joins URLs on one line and omits empty fields', () => {
    expect(upstreamsOf(form({ 'upstreams.evm': ' https://a.example\nhttps://b.example ' }))).toEqual({
      evm: 'https://a.example https://b.example',
    })
    expect(upstreamsOf(form({ 'upstreams.evm': ' ' }))).toBeUndefined()
  })
})
