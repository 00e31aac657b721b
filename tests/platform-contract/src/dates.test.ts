import { describeInOrder } from '@fairlead/platform-server/testing/describe-in-order'
import { expect, it } from 'vitest'
import { keyOf } from './caller.ts'
import { operationIds, violationsOf } from './contract-violations.ts'
import { type RequestPart, fieldOf, partsOf, withPart } from './request-parts.ts'
import { useTestEnvironment } from './use-test-environment.ts'
import { validRequests } from './valid-requests.ts'

// Times and days that exist, and whether they are in the future.
const existing: readonly (readonly [text: string, inFuture: boolean])[] = [
  ['0001-01-01', false],
  ['0001-01-01T00:00:00Z', false],
  ['0001-01-01T00:00:00-14:00', false],
  ['1969-12-31T23:59:59.999Z', false],
  ['2024-02-29', false],
  ['2024-12-31T24:00:00Z', false],
  ['2999-12-31T23:59:59.999999999+14:00', true],
  ['9999-12-31', true],
  ['9999-12-31T23:59:59Z', true],
  ['9999-12-31T23:59:59.999999999Z', true],
  ['9999-12-31T23:59:59+14:00', true],
]

const invalid = [
  '0000-01-01',
  '0000-12-31T23:59:59Z',
  // In UTC, these are in the years 0 and 10000.
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-14:00',
  '10000-01-01',
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  // A leap second, and times and days that do not exist.
  '2990-06-30T23:59:60Z',
  '2990-01-01T24:00:01Z',
  '2990-01-01T25:00:00Z',
  '2990-01-01T12:60:00Z',
  '2990-01-01T12:00:00+24:00',
  '2990-01-01T12:00:00-00:60',
  '2990-01-01T12:00:00+99:99',
  '2990-00-10',
  '2990-13-01',
  '2990-13-01T00:00:00Z',
  '2990-02-29',
  '2990-02-30T00:00:00Z',
  '2990-04-31',
  '2990-01-00',
  // Other notations.
  '2990-01-01T00:00:00',
  '2990-01-01 00:00:00Z',
  '2990-1-1',
  '29900101T000000Z',
  '2990-W01-1',
  '2990-001',
  'infinity',
  '-infinity',
  'epoch',
  'now',
  'tomorrow',
  '0',
  '32188320000',
  '٢٩٩٠-٠١-٠١',
]

function isDate({ schema, names }: RequestPart): boolean {
  return schema['format'] === 'date-time' || (names[0]?.startsWith('date_') ?? false)
}

const withDates = operationIds.filter((id) => partsOf(id).some((part) => isDate(part)))

describeInOrder('dates', (create) => {
  const testEnvironment = useTestEnvironment(create)

  it('are parameters of the audit log and reports, and fields of keys and credentials', () => {
    expect(withDates.toSorted()).toEqual([
      'createApiKey',
      'createCredential',
      'exportNodeUsage',
      'listAuditLog',
      'listNodeUsage',
      'updateApiKey',
      'updateCredential',
    ])
  })

  it.each(withDates)('of %s are in the years 1 to 9999, and exist', async (id) => {
    for (const part of partsOf(id).filter((each) => isDate(each))) {
      // Each caller can send 60 requests for reports.
      const environment = testEnvironment()
      const separateKey = await keyOf(environment.fixture.store, environment.home.owner)
      const { query: _query, ...input } = await validRequests[id](environment)
      const send = (text: string) => environment.send(id, withPart(input, part, text), separateKey)
      // An expiry is a time in the future, and a report does not end before the current month, where it starts.
      const isExpiry = part.place === 'body'
      const isEndOfReport = fieldOf(part) === 'date_to' && id !== 'listAuditLog'
      for (const [text, inFuture] of existing) {
        const isValid = isExpiry ? inFuture && text.includes('T') : inFuture || !isEndOfReport
        const response = await send(text)
        expect([text, response.status < 300 ? 'valid' : response.status]).toEqual([
          text,
          isValid ? 'valid' : 400,
        ])
        expect([text, violationsOf(id, response)]).toEqual([text, []])
      }
      for (const text of invalid) {
        const response = await send(text)
        expect([text, response.status]).toEqual([text, 400])
        const { error } = JSON.parse(response.body) as { error: { fields: object } }
        expect([text, Object.keys(error.fields)]).toEqual([text, [fieldOf(part)]])
      }
    }
  })
})
