import { describe, expect, it } from 'vitest'
import { flows } from './evm-method-table.ts'
import { answers, echo } from './evm-trace-answers.ts'
import { notation } from './schema-notation.ts'
import { type Json, methodsOf, specification, validatorsOf } from './specifications.ts'

/**
 * By tag, each method as `name(parameters): result, who serves it`. A question mark stands behind what may be left out.
 */
const table: Readonly<Record<string, string>> = {
  debug: `
    debug_getRawHeader(block BlockId): Bytes, GER
    debug_getRawBlock(block BlockId): Bytes, GER
    debug_getRawTransaction(transactionHash Hash32): Bytes|null, GERA
    debug_getRawTransactions(block BlockId): Bytes[], R
    debug_getRawReceipts(block BlockId): Bytes[], GER
    debug_getRawBlockAccessList(block BlockId): Bytes, ER
    debug_getBadBlocks(): BadBlock[], GER
    debug_traceTransaction(transactionHash Hash32, options TraceOptions?): TraceResult, GERA
    debug_traceCall(transaction CallRequest, block BlockId?, options TraceCallOptions?): TraceResult, GERA
    debug_traceCallMany(bundles TraceBundle[], simulationContext SimulationContext, stateOverrides StateOverrides?): ExecutionTrace[], ERH
    debug_traceBlock(rlp Bytes, options TraceOptions?): BlockTraceItem[], GR
    debug_traceBlockByHash(blockHash Hash32, options TraceOptions?): BlockTraceItem[], GERA
    debug_traceBlockByNumber(block BlockNumberOrTag, options TraceOptions?): BlockTraceItem[], GERA
    debug_traceBadBlock(blockHash Hash32, options TraceOptions?): BlockTraceItem[], G
    debug_intermediateRoots(blockHash Hash32, options TraceOptions?): Hash32[], GR
    debug_storageRangeAt(block BlockId, txIndex integer, address Address, keyStart Bytes, maxResult integer): StorageRange, GE
    debug_accountRange(block BlockId, start Bytes, maxResults integer, nocode boolean, nostorage boolean, incompletes boolean?): StateDump, GE
    debug_accountAt(blockHash Hash32, txIndex integer, address Address): AccountAt|null, ER
    debug_getModifiedAccountsByNumber(start BlockNumberInput, end BlockNumberInput?): Address[], GE
    debug_getModifiedAccountsByHash(start Hash32, end Hash32?): Address[], GE
    debug_codeByHash(codeHash Hash32, block BlockId?): Bytes|null, RA
    debug_executionWitness(block BlockId): ExecutionWitness, GER
    debug_chainConfig(): ChainRules, R`,
  trace: `
    trace_block(block BlockId): LocalizedTrace[]|null, ERA
    trace_transaction(transactionHash Hash32): LocalizedTrace[]|null, ERA
    trace_get(transactionHash Hash32, indices Quantity[]): LocalizedTrace|null, ER
    trace_filter(filter TraceFilter): LocalizedTrace[], ERA
    trace_call(call CallRequest, traceTypes TraceTypes, block BlockId?, stateOverrides StateOverrides?, blockOverrides BlockOverrides?): TraceResults, ER
    trace_callMany(calls TracedCall[], block BlockId?): TraceResults[], ER
    trace_rawTransaction(transaction Bytes, traceTypes TraceTypes, block BlockId?): TraceResults, R
    trace_replayTransaction(transactionHash Hash32, traceTypes TraceTypes): TraceResults, ER
    trace_replayBlockTransactions(block BlockId, traceTypes TraceTypes): BlockTraceResults[]|null, ERA
    trace_transactionOpcodeGas(transactionHash Hash32): TransactionOpcodeGas|null, R
    trace_blockOpcodeGas(block BlockId): BlockOpcodeGas|null, R`,
  txpool: `
    txpool_status(): PoolStatus, GERA
    txpool_content(): PoolContent, GERA
    txpool_contentFrom(address Address): PoolAccountContent, GER
    txpool_inspect(): PoolInspection, GRA`,
  erigon: `
    erigon_getHeaderByNumber(block BlockNumberInput): BlockHeader|null, ERA
    erigon_getHeaderByHash(blockHash Hash32): BlockHeader|null, E
    erigon_getBlockByTimestamp(timestamp Quantity, fullTransactionObjects boolean): Block, E
    erigon_getLogsByHash(blockHash Hash32): Log[][], E
    erigon_getLogs(filter Filter): TimedLog[], E
    erigon_getLatestLogs(filter Filter, options LatestLogsOptions): TimedLog[], E
    erigon_getBlockReceiptsByBlockHash(blockHash Hash32): Receipt[], E
    erigon_getBalanceChangesInBlock(block BlockId): {Quantity}, E
    erigon_forks(): ForkPoints, E
    erigon_blockNumber(block BlockTag?): Quantity, E
    erigon_nodeInfo(): NodeInfo[], E`,
  explorer: `
    ots_getApiLevel(): integer, ERAH
    ots_getInternalOperations(transactionHash Hash32): InternalOperation[], ERAH
    ots_hasCode(address Address, block BlockId?): boolean, ERAH
    ots_getTransactionError(transactionHash Hash32): Bytes|null, ERAH
    ots_traceTransaction(transactionHash Hash32): TraceEntry[]|null, ERAH
    ots_getBlockDetails(block BlockNumberInput): BlockDetails|null, ERAH
    ots_getBlockDetailsByHash(blockHash Hash32): BlockDetails|null, ERAH
    ots_getBlockTransactions(block BlockNumberInput, page integer, pageSize integer): BlockTransactions|null, ERAH
    ots_searchTransactionsBefore(address Address, block BlockNumberInput, pageSize integer): TransactionPage, EAH
    ots_searchTransactionsAfter(address Address, block BlockNumberInput, pageSize integer): TransactionPage, EAH
    ots_getTransactionBySenderAndNonce(address Address, nonce integer): Hash32|null, ERAH
    ots_getContractCreator(address Address): ContractCreator|null, ERAH`,
}

const evm = specification('evm')
const compile = validatorsOf(evm)
const described = methodsOf(evm).map((method) => ({
  ...method,
  ...(method as unknown as {
    tags: readonly { name: string }[]
    errors: readonly Json[]
    'x-availability': readonly string[]
    'x-idempotent'?: boolean
  }),
}))
const own = described.filter(({ name }) => /^(?:debug|trace|txpool|erigon|ots)_/.test(name))

function methodNamed(name: string) {
  const found = own.find((method) => method.name === name)
  if (!found) throw new Error(`no ${name}`)
  return found
}

describe.each(Object.entries(table))('the methods of the group %s', (tag, text) => {
  it('take and answer what the table says, and are served by whom it names', () => {
    const letters = (names: readonly string[]) =>
      names.map((name) => Object.keys(flows).find((letter) => flows[letter] === name) ?? '?').join('')
    const actual = own
      .filter(({ tags }) => tags.some(({ name }) => name === tag))
      .map(({ name, params, result, 'x-availability': by }) => {
        const list = params.map(
          (param) => `${param.name} ${notation(param.schema)}${param.required === true ? '' : '?'}`,
        )
        return `${name}(${list.join(', ')}): ${notation(result.schema)}, ${letters(by)}`
      })
    const lines = text.trim().split('\n')
    expect(actual.toSorted()).toEqual(lines.map((line) => line.trim()).toSorted())
  })
})

describe('the methods that look into a node', () => {
  it('belong to one group each, and change nothing', () => {
    for (const { name, tags, 'x-idempotent': idempotent } of own) {
      expect
        .soft(
          tags.map((tag) => tag.name in table),
          name,
        )
        .toEqual([true])
      expect.soft(idempotent, name).toBeUndefined()
    }
  })

  it('name the errors that any method may answer with', () => {
    const common = ['MethodNotFound', 'InvalidParams', 'InternalError', 'Unauthorized', 'LimitExceeded']
    for (const { name, errors } of own) {
      expect.soft(errors.slice(0, common.length).map(notation), name).toEqual(common)
    }
  })
})

/** By tracer, the form of a single trace and of an item of a traced block; the last without any tracer. */
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
  it.each(['debug_traceTransaction', 'debug_traceCall'])('each have a form of their own in %s', (name) => {
    const overloads = methodNamed(name)['x-overloads'] ?? []
    expect(overloads.map(({ when, result }) => [when['options'], notation(result)])).toEqual(
      forms.map(([options, single]) => [options, single]),
    )
  })

  it.each(['debug_traceBlock', 'debug_traceBlockByHash', 'debug_traceBlockByNumber', 'debug_traceBadBlock'])(
    'each have a form of their own in %s',
    (name) => {
      const overloads = methodNamed(name)['x-overloads'] ?? []
      expect(overloads.map(({ when, result }) => [when['options'], notation(result)])).toEqual(
        forms.map(([options, , item]) => [options, `${item}[]`]),
      )
    },
  )

  it('each have an example', () => {
    const given = ['debug_traceTransaction', 'debug_traceCall'].flatMap((name) =>
      methodNamed(name).examples.map(({ params }) => {
        const options = params.find((param) => param.name === 'options')?.value as Json | undefined
        return options?.['tracer']
      }),
    )
    expect(new Set(given)).toEqual(new Set(forms.map(([options]) => options?.['tracer'])))
  })

  it('may be written in JavaScript, and then return anything', () => {
    const fits = compile(methodNamed('debug_traceTransaction').result.schema)
    for (const value of [52, ['PUSH1', 'SSTORE'], { count: 2 }, null]) expect.soft(fits(value)).toBe(true)
  })
})

/** Every copy of a value in which something that is no list and no object has been replaced, at any depth. */
function spoilt(value: unknown, by: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => spoilt(item, by).map((other) => value.with(index, other)))
  }
  if (typeof value !== 'object' || value === null) return [by]
  return Object.entries(value).flatMap(([key, item]) =>
    spoilt(item, by).map((other) => ({ ...value, [key]: other })),
  )
}

describe.each(Object.entries(answers))('a recorded trace: %s', (_, [name, answer]) => {
  const fits = compile({ $ref: `#/components/schemas/${name}` })

  it('has the form that the document gives it', () => {
    expect(fits(answer) ? [] : fits.errors).toEqual([])
  })

  it('has no other form at any depth', () => {
    // Steps hold a good deal of free text, so only what is no text at all stands out there.
    const replacements = name === 'OpcodeTrace' || name === 'TraceResults' ? [{}] : [{}, 'not this']
    for (const value of replacements.flatMap((by) => spoilt(answer, by))) {
      expect.soft(fits(value), JSON.stringify(value)).toBe(false)
    }
  })
})

describe('the parts that nodes differ in', () => {
  it.each([
    ['number', 2],
    ['hexadecimal string', '0x2'],
    ['role', 'latest'],
  ])('take a block as a %s', (_, block) => {
    expect(compile({ $ref: '#/components/schemas/BlockNumberInput' })(block)).toBe(true)
  })

  it('take no block that is neither', () => {
    const fits = compile({ $ref: '#/components/schemas/BlockNumberInput' })
    for (const block of [-1, 1.5, '2', '0x02', 'newest', null]) {
      expect.soft(fits(block), String(block)).toBe(false)
    }
  })

  it('take pairs of a call and what to trace of it', () => {
    const fits = compile(methodNamed('trace_callMany').params[0]?.schema)
    expect(fits([[{ to: echo }, ['trace', 'stateDiff']]])).toBe(true)
    for (const pair of [[{ to: echo }], [{ to: echo }, ['trace'], 'latest'], [{ to: echo }, ['traces']]]) {
      expect.soft(fits([pair]), JSON.stringify(pair)).toBe(false)
    }
  })
})
