import { describe, expect, it } from 'vitest'
import { redact, redactJson } from './redact.ts'

describe('redact', () => {
  it('takes out every occurrence, also percent-encoded', () => {
    expect(redact('a/b? a%2Fb%3F a/b?', ['a/b?'])).toBe('*** *** ***')
  })

  it('returns a text without secrets unchanged', () => {
    expect(redact('nothing here', ['s3cr3t', ''])).toBe('nothing here')
  })
})

describe('redactJson', () => {
  it('cleans texts at any depth and keeps everything else', () => {
    const value = { url: 'http://n/al', deep: [{ note: 'al al' }, false, 1, null] }
    expect(redactJson(value, ['al'])).toEqual({
      url: 'http://n/***',
      deep: [{ note: '*** ***' }, false, 1, null],
    })
  })

  it('finds a secret that JSON escapes', () => {
    expect(redactJson({ text: 'x"y' }, ['x"y'])).toEqual({ text: '***' })
  })

  it('returns the same value when there is nothing to clean', () => {
    const value = { a: 1 }
    expect(redactJson(value, ['s3cr3t'])).toBe(value)
    expect(redactJson(undefined, ['s3cr3t'])).toBeUndefined()
  })
})
