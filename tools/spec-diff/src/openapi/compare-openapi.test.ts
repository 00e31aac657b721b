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
  const found = cases.flatMap((one) => (one[side].item ? [[pathOf(one), one[side].item] as const] : []))
  return {
    openapi: '3.1.0',
    info: { title: 'Ships', version: '1.0.0' },
    paths: Object.fromEntries(found),
    components: {
      schemas: Object.assign({}, ...cases.map((one) => one[side].schemas ?? {})) as Json,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: 's' },
      },
    },
  }
}

function belongsTo(one: OpenapiCase, { pointer }: Change): boolean {
  const schemas = Object.keys({ ...one.base.schemas, ...one.head.schemas })
  return (
    `${pointer}/`.startsWith(`#/paths/~1${pathOf(one).slice(1)}/`) ||
    schemas.some((name) => `${pointer}/`.startsWith(`#/components/schemas/${name}/`))
  )
}

let changes: readonly Change[] = []

beforeAll(async () => {
  changes = await compareOpenapi(documentOf(openapiCases, 'base'), documentOf(openapiCases, 'head'))
})

describe('a change of an OpenAPI document', () => {
  it.each(openapiCases)('$title: $bump', (one) => {
    const own = changes.filter((change) => belongsTo(one, change))
    expect(highest(own.map(({ bump }) => bump))).toBe(one.bump)
    if (one.category !== undefined) expect(own.map(({ category }) => category)).toContain(one.category)
    for (const { place, what } of own) {
      expect(place).not.toBe('')
      expect(what).toMatch(/^\S.*\.$/)
    }
  })

  it('belongs to a case', () => {
    const strange = changes.filter((change) => !openapiCases.some((one) => belongsTo(one, change)))
    expect(strange).toEqual([])
  })

  it('says which operations a component is part of, and what was before', () => {
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
