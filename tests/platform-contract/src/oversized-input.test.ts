import { validationOf } from '@fairlead/platform-server/platform-api/contract-validation'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { describeInOrder } from '@fairlead/platform-server/testing/describe-in-order'
import { describe, expect, it } from 'vitest'
import { keyOf } from './caller.ts'
import { operationIds, routeTable, violationsOf } from './contract-violations.ts'
import { type RequestPart, fieldOf, isFreeText, partsOf, withPart } from './request-parts.ts'
import { useTestEnvironment } from './use-test-environment.ts'
import { validRequests } from './valid-requests.ts'

const withInput = operationIds.filter((id) => partsOf(id).length > 0)
const withBody = operationIds.filter((id) => routeTable[id].requestBody !== undefined)
const rejections = { path: 404, query: 400, headers: 412, body: 400 }

describeInOrder('input above the maximum sizes', (create) => {
  const testEnvironment = useTestEnvironment(create)

  it.each(withInput)('of %s is rejected with the field and the rule', async (id) => {
    const environment = testEnvironment()
    const separateKey = await keyOf(environment.fixture.store, environment.home.owner)
    const { caller = separateKey, ...input } = await validRequests[id](environment)
    for (const part of partsOf(id)) {
      for (const { value, rule } of oversized(part)) {
        const response = await environment.send(id, withPart(input, part, value), caller)
        const about = `${part.place} ${fieldOf(part)}: ${rule}`
        expect([about, response.status]).toEqual([about, rejections[part.place]])
        expect([about, violationsOf(id, response)]).toEqual([about, []])
        if (response.status !== 400) continue
        const { error } = JSON.parse(response.body) as { error: { fields: Record<string, string[]> } }
        expect(error.fields).toEqual({ [fieldOf(part)]: [rule] })
      }
    }
  })
})

describe('the validation of large input', () => {
  const large = 10_000

  it.each(withBody)('of %s reads no item of a list that is too long or not allowed', (id) => {
    for (const part of partsOf(id).filter(({ place }) => place === 'body')) {
      const list = countReads(Array<string>(large).fill('x'))
      expect(violationsOfPart(id, part, list.value)).not.toEqual([])
      expect([fieldOf(part), list.reads()]).toEqual([fieldOf(part), 0])
    }
  })

  it.each(withBody)('of %s reads no member of a map that is too large or not allowed', (id) => {
    for (const part of partsOf(id).filter(
      ({ place, schema }) => place === 'body' && !('properties' in schema),
    )) {
      const map = countReads(mapOf(large))
      expect(violationsOfPart(id, part, map.value)).not.toEqual([])
      expect([fieldOf(part), map.reads()]).toEqual([fieldOf(part), 0])
    }
  })

  it.each(withBody)('of %s compares no text that is too long', (id) => {
    for (const part of partsOf(id).filter((each) => each.place === 'body' && isFreeText(each))) {
      const rule = `Must be a string of at most ${String(part.schema['maxLength'])} characters.`
      expect([fieldOf(part), violationsOfPart(id, part, '@.'.repeat(500_000))]).toEqual([
        fieldOf(part),
        [rule],
      ])
    }
  })

  it.each(withBody)('of %s reports each invalid part once, however many there are', (id) => {
    const parts = partsOf(id).filter(({ place }) => place === 'body')
    const body = parts.reduce(
      (input, part) => withPart(input, part, oversized(part)[0]?.value ?? {}),
      withPart({}, { place: 'body', names: ['unknown'], schema: {} }, Array<string>(large).fill('')),
    ).body
    const { violations = {} } = validationOf(id).body(body)
    const messages = Object.values(violations).flat()
    expect(messages.length).toBeGreaterThan(0)
    expect(messages.length).toBeLessThanOrEqual(2 * parts.length)
  })
})

/** Validates a body that has only one part, and returns the errors of that part. */
function violationsOfPart(id: OperationId, part: RequestPart, value: unknown): readonly string[] {
  const { violations = {} } = validationOf(id).body(withPart({}, part, value).body)
  return violations[fieldOf(part)] ?? []
}

function mapOf(size: number): object {
  return Object.fromEntries(Array.from({ length: size }, (_, at) => [`m${at}`, {}]))
}

/** A value that counts how often its members are read. */
function countReads<value extends object>(value: value) {
  let count = 0
  const proxy = new Proxy(value, {
    get: (target, name) => {
      if (name !== 'length') count += 1
      return Reflect.get(target, name) as unknown
    },
  })
  return { value: proxy, reads: () => count }
}

interface Oversized {
  readonly value: unknown
  /** The expected validation error. */
  readonly rule: string
}

/** Values of a part that each exceed one maximum by one. */
function oversized({ place, schema }: RequestPart): readonly Oversized[] {
  const { maxLength, maxItems, maxProperties, propertyNames } = schema as {
    readonly maxLength?: number
    readonly maxItems?: number
    readonly maxProperties?: number
    readonly propertyNames?: { readonly maxLength: number }
  }
  const values: Oversized[] = []
  if (maxLength !== undefined) {
    const rule = `Must be a string of at most ${maxLength} characters.`
    values.push({ value: 'x'.repeat(maxLength + 1), rule })
    if (place === 'body') values.push({ value: '𝔘'.repeat(maxLength + 1), rule })
  }
  if (maxItems !== undefined) {
    const rule = `Must have at most ${maxItems} items.`
    values.push({ value: Array.from({ length: maxItems + 1 }, (_, at) => `x${at}`), rule })
  }
  if (maxProperties !== undefined && propertyNames !== undefined) {
    values.push({ value: mapOf(maxProperties + 1), rule: `Must have at most ${maxProperties} members.` })
    const name = 'x'.repeat(propertyNames.maxLength + 1)
    values.push({
      value: { [name]: {} },
      rule: `Names of members: Must be a string of at most ${propertyNames.maxLength} characters.`,
    })
  }
  return values
}
