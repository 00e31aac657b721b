import { validationOf } from '@fairlead/platform-server/platform-api/contract-validation'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { describeInOrder } from '@fairlead/platform-server/testing/describe-in-order'
import { describe, expect, it } from 'vitest'
import { keyOf } from './caller.ts'
import { operationIds, violationsOf } from './contract-violations.ts'
import { type RequestPart, fieldOf, isFreeText, partsOf, withPart } from './request-parts.ts'
import { useTestEnvironment } from './use-test-environment.ts'
import { validRequests } from './valid-requests.ts'

const texts = operationIds.flatMap((id) =>
  partsOf(id)
    .filter((part) => isFreeText(part) && part.place !== 'headers')
    .map((part) => ({ id, part, name: `${id} ${part.place} ${fieldOf(part)}` })),
)
const written = texts.filter(({ part }) => part.place === 'body')
const ofFormat = (...formats: string[]) =>
  written.filter(({ part }) => formats.includes(String(part.schema['format'])))
const operationsWithText = operationIds.filter((id) => texts.some((text) => text.id === id))

// Text that is neither a name nor a description, and what happens to it.
const otherTexts: Readonly<Record<string, string>> = {
  email: 'has a pattern without spaces and control characters',
  expires_at: 'is parsed as a time',
  password: 'is hashed',
  current_password: 'is hashed',
  new_password: 'is hashed',
  token: 'is hashed, and compared',
  project: 'is compared with ids',
  option: 'is compared with ids',
  upstreams: 'is parsed as URLs, of which only scheme, host and port are shown',
  url: 'is parsed as a URL without control characters, format characters and spaces',
  value: 'has a pattern for each kind',
}

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at))
const controls = [...range(0x00, 0x1f), ...range(0x7f, 0x9f)]
const lineControls = ['\t', '\n', '\r']
const directions = ['\u061c', ...range(0x200e, 0x200f), ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]
const unstorable = 'Must not contain the character U+0000 or an unpaired surrogate.'
const notSingleLine = 'Must not contain control characters or characters that change the text direction.'
const notMultiLine = 'Must not contain control characters other than tabs and line breaks.'
// Separators, joiners, marks, private use, noncharacters, other planes, and scripts of both directions.
const unicode = 'Ü e\u0301 \u2028\u2029\u200d\u00a0\ufeff\ue000\ufffe שלום عربى 漢字 𝔘 👩‍👩‍👧 \u{10ffff}'

describe('every text that a request writes', () => {
  it.each(written)('$name is a line, several lines, or parsed', ({ part }) => {
    const isLine = ['single-line', 'multi-line'].includes(String(part.schema['format']))
    expect([fieldOf(part), isLine || (part.names[0] ?? '') in otherTexts]).toEqual([fieldOf(part), true])
  })

  it.each(ofFormat('single-line'))('$name has no control or direction characters', ({ id, part }) => {
    const violations = (text: string) => violationsOfPart(id, part, `a${text}b`)
    for (const text of [...controls, ...directions]) {
      expect([text, violations(text)]).toEqual([text, [text === '\0' ? unstorable : notSingleLine]])
    }
    expect(violations(unicode)).toEqual([])
  })

  it.each(ofFormat('multi-line'))('$name has no control characters but line breaks', ({ id, part }) => {
    const violations = (text: string) => violationsOfPart(id, part, `a${text}b`)
    for (const text of controls.filter((each) => !lineControls.includes(each))) {
      expect([text, violations(text)]).toEqual([text, [text === '\0' ? unstorable : notMultiLine]])
    }
    expect(violations([unicode, ...lineControls, ...directions].join(''))).toEqual([])
  })

  it.each(written)('$name has neither U+0000 nor an unpaired surrogate', ({ id, part }) => {
    for (const text of ['\0', 'a\0', '\ud800', 'a\udfffb', '\udc00\ud800', `👩\ud83d`]) {
      expect([text, violationsOfPart(id, part, text)]).toEqual([text, [unstorable]])
    }
  })
})

describeInOrder('text', (create) => {
  const testEnvironment = useTestEnvironment(create)

  async function send(id: OperationId, part: RequestPart, value: string) {
    const environment = testEnvironment()
    const separateKey = await keyOf(environment.fixture.store, environment.home.owner)
    const { caller = separateKey, ...input } = await validRequests[id](environment)
    const response = await environment.send(id, withPart(input, part, value), caller)
    const about = `${part.place} ${fieldOf(part)} ${JSON.stringify(value)}`
    expect([about, violationsOf(id, response)]).toEqual([about, []])
    return { ...response, about }
  }

  it.each(operationsWithText)('that cannot be stored is rejected by %s', async (id) => {
    for (const { part } of texts.filter((text) => text.id === id)) {
      for (const value of part.place === 'body' ? ['a\0', 'a\ud800'] : ['\0', 'a\0b']) {
        const { about, status, body } = await send(id, part, value)
        expect([about, status]).toEqual([about, part.place === 'path' ? 404 : 400])
        if (status !== 400) continue
        const { error } = JSON.parse(body) as { error: { fields: object } }
        expect(error.fields).toEqual({ [fieldOf(part)]: [unstorable] })
      }
    }
  })

  it.each(ofFormat('single-line', 'multi-line'))('is stored as it was sent: $name', async ({ id, part }) => {
    const value = part.schema['format'] === 'multi-line' ? `${unicode}\r\n\t${directions.join('')}` : unicode
    const { about, status, body } = await send(id, part, value)
    expect([about, status < 300]).toEqual([about, true])
    expect(body).toContain(JSON.stringify(value))
  })
})

/** Validates a body that has only one part, and returns the errors of that part. */
function violationsOfPart(id: OperationId, part: RequestPart, value: unknown): readonly string[] {
  const { violations = {} } = validationOf(id).body(withPart({}, part, value).body)
  return violations[fieldOf(part)] ?? []
}
