import { describe, expect, it } from 'vitest'
import { traceResults, echo } from './evm-trace-results.ts'
import { notation } from './schema-notation.ts'
import { type Json, methodsOf, specification, validatorsOf } from './specifications.ts'

const evm = specification('evm')
const compile = validatorsOf(evm)
const traceMethods = methodsOf(evm).filter(({ name }) => /^(?:debug|trace|txpool|erigon|ots)_/.test(name))

function methodNamed(name: string) {
  const found = traceMethods.find((method) => method.name === name)
  if (!found) throw new Error(`no ${name}`)
  return found
}

describe('the tracing methods', () => {
  it('are read-only', () => {
    expect(traceMethods.filter((method) => 'x-idempotent' in method).map(({ name }) => name)).toEqual([])
  })
})

/** By tracer: the schema of a single trace and of an item of a traced block. The last row is without a tracer. */
const forms: readonly (readonly [options: Json | undefined, single: string, item: string])[] = [
  [{ tracer: 'callTracer' }, 'CallFrame', 'BlockCallTrace'],
  [{ tracer: 'prestateTracer', tracerConfig: { diffMode: true } }, 'PrestateDiff', 'BlockPrestateDiff'],
  [{ tracer: 'prestateTracer' }, 'PrestateTrace', 'BlockPrestateTrace'],
  [{ tracer: '4byteTracer' }, 'FourByteTrace', 'BlockFourByteTrace'],
  [{ tracer: 'flatCallTracer' }, 'FlatCallTraces', 'BlockFlatCallTrace'],
  [{ tracer: 'muxTracer' }, 'MuxTrace', 'BlockMuxTrace'],
  [{ tracer: 'noopTracer' }, 'NoopTrace', 'BlockNoopTrace'],
  [undefined, 'OpcodeTrace', 'BlockOpcodeTrace'],
]

describe('the tracers', () => {
  it.each(['debug_traceTransaction', 'debug_traceCall'])('each have their own options in %s', (name) => {
    const overloads = methodNamed(name)['x-overloads'] ?? []
    expect(overloads.map(({ when, result }) => [when['options'], notation(result)])).toEqual(
      forms.map(([options, single]) => [options, single]),
    )
  })

  it.each(['debug_traceBlock', 'debug_traceBlockByHash', 'debug_traceBlockByNumber', 'debug_traceBadBlock'])(
    'each have their own options in %s',
    (name) => {
      const overloads = methodNamed(name)['x-overloads'] ?? []
      expect(overloads.map(({ when, result }) => [when['options'], notation(result)])).toEqual(
        forms.map(([options, , item]) => [options, `${item}[]`]),
      )
    },
  )

  it('each have an example', () => {
    const examples = ['debug_traceTransaction', 'debug_traceCall'].flatMap((name) =>
      methodNamed(name).examples.map(({ params }) => {
        const options = params.find((param) => param.name === 'options')?.value as Json | undefined
        return options?.['tracer']
      }),
    )
    expect(new Set(examples)).toEqual(new Set(forms.map(([options]) => options?.['tracer'])))
  })

  it('may be written in JavaScript, and then return any value', () => {
    const validate = compile(methodNamed('debug_traceTransaction').result.schema)
    for (const value of [52, ['PUSH1', 'SSTORE'], { count: 2 }, null]) expect.soft(validate(value)).toBe(true)
  })
})

/** Returns every copy of a value in which one leaf, at any depth, has been replaced. */
function mutationsOf(value: unknown, by: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      mutationsOf(item, by).map((mutation) => value.with(index, mutation)),
    )
  }
  if (typeof value !== 'object' || value === null) return [by]
  return Object.entries(value).flatMap(([key, item]) =>
    mutationsOf(item, by).map((mutation) => ({ ...value, [key]: mutation })),
  )
}

describe.each(Object.entries(traceResults))('a recorded trace: %s', (_, [name, result]) => {
  const validate = compile({ $ref: `#/components/schemas/${name}` })

  it('matches the schema of the document', () => {
    expect(validate(result) ? [] : validate.errors).toEqual([])
  })

  it('does not match when a value at any depth is wrong', () => {
    // Opcode steps hold mostly free text, so only a replacement that is not a string is invalid there.
    const replacements = name === 'OpcodeTrace' || name === 'TraceResults' ? [{}] : [{}, 'not this']
    for (const value of replacements.flatMap((by) => mutationsOf(result, by))) {
      expect.soft(validate(value), JSON.stringify(value)).toBe(false)
    }
  })
})

describe('the parameters that differ between nodes', () => {
  it.each([
    ['number', 2],
    ['hexadecimal string', '0x2'],
    ['role', 'latest'],
  ])('accept a block as a %s', (_, block) => {
    expect(compile({ $ref: '#/components/schemas/BlockNumberInput' })(block)).toBe(true)
  })

  it('reject a block in any other format', () => {
    const validate = compile({ $ref: '#/components/schemas/BlockNumberInput' })
    for (const block of [-1, 1.5, '2', '0x02', 'recent', null]) {
      expect.soft(validate(block), String(block)).toBe(false)
    }
  })

  it('accept pairs of a call and its trace types', () => {
    const validate = compile(methodNamed('trace_callMany').params[0]?.schema)
    expect(validate([[{ to: echo }, ['trace', 'stateDiff']]])).toBe(true)
    for (const pair of [[{ to: echo }], [{ to: echo }, ['trace'], 'latest'], [{ to: echo }, ['traces']]]) {
      expect.soft(validate([pair]), JSON.stringify(pair)).toBe(false)
    }
  })
})
