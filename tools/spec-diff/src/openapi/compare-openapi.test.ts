import type { Json } from '@fairlead/codegen/src/bundle.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Change, highest } from '../change.ts'
import { compareOpenapi } from './compare-openapi.ts'
import type { OpenapiCase } from './testing/case.ts'
import { operationCases } from './testing/operation-cases.ts'
import { schemaCases } from './testing/schema-cases.ts'

// The comparing program takes longer to start than to compare, so all cases are paths of one document.

const openapiCases = [...operationCases, ...schemaCases]

const pathOf = ({ title }: OpenapiCase) => `/${title.replaceAll(' ', '-')}`

function documentOf(cases: readonly OpenapiCase[], side: 'base' | 'head'): Json {
  const found = cases.flatMap((testCase) =>
    testCase[side].item ? [[pathOf(testCase), testCase[side].item] as const] : [],
  )
  return {
    openapi: '3.1.0',
    info: { title: 'Ships', version: '1.0.0' },
    paths: Object.fromEntries(found),
    components: {
      schemas: Object.assign({}, ...cases.map((testCase) => testCase[side].schemas ?? {})) as Json,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 's' },
      },
    },
  }
}

function belongsTo(testCase: OpenapiCase, { pointer }: Change): boolean {
  const schemas = Object.keys({ ...testCase.base.schemas, ...testCase.head.schemas })
  return (
    `${pointer}/`.startsWith(`#/paths/~1${pathOf(testCase).slice(1)}/`) ||
    schemas.some((name) => `${pointer}/`.startsWith(`#/components/schemas/${name}/`))
  )
}

let changes: readonly Change[] = []

beforeAll(async () => {
  changes = await compareOpenapi(documentOf(openapiCases, 'base'), documentOf(openapiCases, 'head'))
})

describe('a change of an OpenAPI document', () => {
  it.each(openapiCases)('$title: $bump', (testCase) => {
    const ofCase = changes.filter((change) => belongsTo(testCase, change))
    expect(highest(ofCase.map(({ bump }) => bump))).toBe(testCase.bump)
    if (testCase.category !== undefined)
      expect(ofCase.map(({ category }) => category)).toContain(testCase.category)
    for (const { place, what } of ofCase) {
      expect(place).not.toBe('')
      expect(what).toMatch(/^\S.*\.$/)
    }
  })

  it('is covered by a case', () => {
    const unmatched = changes.filter(
      (change) => !openapiCases.some((testCase) => belongsTo(testCase, change)),
    )
    expect(unmatched).toEqual([])
  })

  it('has the operations that use a component, and the previous value', () => {
    expect(changes).toContainEqual({
      bump: 'major',
      category: 'breaking',
      affected: 'both',
      place: 'Knots (in POST /enum-of-a-shared-schema-shrank)',
      pointer: '#/components/schemas/Knots/enum',
      what: "Enum of `Knots` lost values: 'b'.",
      before: '…, b',
      after: '…',
    })
  })
})
