import { describe, expect, it } from 'vitest'
import { methodRateLines, methodRatesOf } from '../pages/limits/limit-kinds.ts'
import { upstreamProtocolsOf, upstreamsOf } from '../pages/nodes/upstream-fields.tsx'
import { chosen, localTime, numberOrNull, text, textOrNull, ticked, timeOrNull } from './values.ts'

function form(values: Readonly<Record<string, string>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(values)) data.append(name, value)
  return data
}

describe('the values of a form', () => {
  it('are texts without the blanks around them', () => {
    const data = form({ name: ' Harbour ', none: '  ' })
    expect([text(data, 'name'), text(data, 'other'), textOrNull(data, 'none')]).toEqual(['Harbour', '', null])
  })

  it('are numbers, null for none, and NaN for what is no number', () => {
    const data = form({ rate: '50', none: '', word: 'x' })
    expect(['rate', 'none', 'word'].map((name) => numberOrNull(data, name))).toEqual([50, null, Number.NaN])
  })

  it('are those of the choices that there are', () => {
    const data = form({ role: 'viewer', other: 'king' })
    expect(chosen(data, 'role', ['editor', 'viewer'])).toBe('viewer')
    expect(chosen(data, 'other', ['editor', 'viewer'])).toBe('editor')
    data.append('scopes', 'nodes:read')
    data.append('scopes', 'unknown')
    expect(ticked(data, 'scopes', ['nodes:read', 'nodes:write'])).toEqual(['nodes:read'])
  })

  it('are times of the reader on the page and UTC on the wire', () => {
    const at = '2026-03-09T14:26:00.000Z'
    expect(timeOrNull(form({ at: localTime(at) }), 'at')).toBe(at)
    expect([localTime(null), timeOrNull(form({ at: '' }), 'at')]).toEqual(['', null])
  })
})

describe('rates of methods', () => {
  it('are written and read by lines', () => {
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
  it('are those of its protocols', () => {
    expect(upstreamProtocolsOf(['evm'])).toEqual(['evm', 'websocket'])
    expect(upstreamProtocolsOf(['jetton', 'grpc'])).toEqual(['jetton', 'jetton_v3', 'grpc'])
  })

  it('are given as one line, and not at all when nothing was typed', () => {
    expect(upstreamsOf(form({ 'upstreams.evm': ' https://a.example\nhttps://b.example ' }))).toEqual({
      evm: 'https://a.example https://b.example',
    })
    expect(upstreamsOf(form({ 'upstreams.evm': ' ' }))).toBeUndefined()
  })
})
