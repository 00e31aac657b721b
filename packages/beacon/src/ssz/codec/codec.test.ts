import type { JsonSchema, Route } from '@fairlead/core'
import { ssz } from '@lodestar/types'
import { describe, expect, it } from 'vitest'
import { routes, schemas } from '../../contract.ts'
import { type ConsensusVersion, FairleadError } from '../../index.ts'
import { decodeLightClientUpdates, decodeSsz, encodeSsz, forkDigests } from '../../ssz.ts'
import { responseTypes } from './response-types.ts'
import { typesByFork, typesOf } from './fork-types.ts'
import { requestTypes } from './request-types.ts'
import type { SszType } from './sequence.ts'

const octetStream = 'application/octet-stream'
const allRoutes: readonly Route[] = Object.values(routes)
const updatesPath = '/eth/v1/beacon/light_client/updates'

/**
 * Validates a value against a schema and returns the errors; empty for a valid value. Supports the keywords that the
 * schemas of this package use.
 */
function faults(schema: JsonSchema, value: unknown, at = '$'): readonly string[] {
  const {
    $ref,
    allOf,
    oneOf,
    anyOf,
    type,
    required,
    properties,
    items,
    pattern,
    enum: allowed,
  } = schema as {
    readonly $ref?: string
    readonly allOf?: readonly JsonSchema[]
    readonly oneOf?: readonly JsonSchema[]
    readonly anyOf?: readonly JsonSchema[]
    readonly type?: string
    readonly required?: readonly string[]
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly items?: JsonSchema
    readonly pattern?: string
    readonly enum?: readonly unknown[]
  }
  const found: string[] = []
  if ($ref) {
    const name = $ref.split('/').at(-1) ?? ''
    found.push(
      ...faults((schemas as Readonly<Record<string, JsonSchema>>)[name] ?? expect.unreachable(), value, at),
    )
  }
  for (const subschema of allOf ?? []) found.push(...faults(subschema, value, at))
  for (const choice of [oneOf, anyOf]) {
    if (choice && choice.every((subschema) => faults(subschema, value, at).length > 0)) {
      const closest = choice
        .map((subschema) => faults(subschema, value, at))
        .toSorted((a, b) => a.length - b.length)
      found.push(...(closest[0] ?? []))
    }
  }
  const kind = Array.isArray(value) ? 'array' : typeof value
  if (type && kind !== type) found.push(`${at} is ${kind}, not ${type}`)
  if ('const' in schema && schema['const'] !== value) found.push(`${at} is not ${String(schema['const'])}`)
  if (allowed && !allowed.includes(value)) found.push(`${at} is not among ${allowed.join()}`)
  if (pattern && !new RegExp(pattern).test(String(value))) found.push(`${at} does not match ${pattern}`)
  if (Array.isArray(value) && items) {
    // All items of a long default list are equal.
    for (const item of new Set(value.slice(0, 20))) found.push(...faults(items, item, `${at}[]`))
  } else if (kind === 'object') {
    const object = value as Readonly<Record<string, unknown>>
    for (const name of required ?? []) if (!(name in object)) found.push(`${at}.${name} is missing`)
    for (const [name, subschema] of Object.entries(properties ?? {})) {
      if (name in object) found.push(...faults(subschema, object[name], `${at}.${name}`))
    }
  }
  return found
}

/** Every fork that the schema of a response names; fulu when it accepts any, none when it has no version. */
function versionsOf(schema: JsonSchema | undefined): readonly (ConsensusVersion | undefined)[] {
  const names = JSON.stringify(schema).matchAll(/"version":\{"(?:type":"string",")?const":"(\w+)"/g)
  const forks = [...new Set(Array.from(names, ([, name]) => name as ConsensusVersion))]
  if (forks.length > 0) return forks
  return JSON.stringify(schema).includes('"version":') ? ['fulu'] : [undefined]
}

const defaultOf = (fork: ConsensusVersion, name: string): SszType & { defaultValue(): unknown } =>
  (typesByFork[fork] as Record<string, SszType & { defaultValue(): unknown }>)[name] ?? expect.unreachable()

const sszResponses = allRoutes.filter(({ responses }) => responses['200']?.mediaTypes?.includes(octetStream))
const sszRequests = allRoutes.filter(({ requestBody }) => requestBody?.mediaTypes?.includes(octetStream))

describe('the table of responses', () => {
  it('has exactly the operations that respond in SSZ', () => {
    const paths = new Set(sszResponses.map(({ path }) => path))
    expect(Object.keys(responseTypes).toSorted()).toEqual(
      [...paths].filter((path) => path !== updatesPath).toSorted(),
    )
  })

  const cases = sszResponses
    .filter(({ path }) => path !== updatesPath)
    .flatMap(({ method, path, responses }) =>
      versionsOf(responses['200']?.schema).flatMap((version) => {
        const schema = responses['200']?.schema ?? {}
        const flags = path.includes('/v3/validator/blocks')
          ? (['execution_payload_blinded'] as const)
          : path.includes('/v4/validator/blocks')
            ? (['execution_payload_included'] as const)
            : []
        const variants: Record<string, boolean>[] = [{}, ...flags.map((flag) => ({ [flag]: true }))]
        return variants.map((facts) => ({ name: `${method} ${path}`, path, version, schema, facts }))
      }),
    )
    // The first forks have no payload that could be blinded.
    .filter(
      ({ version, facts }) =>
        !facts['execution_payload_blinded'] || !['phase0', 'altair'].includes(version ?? ''),
    )

  it.each(cases)(
    '$name, $version $facts: the JSON form is that of the specification',
    ({ path, version, schema, facts }) => {
      const envelope = {
        ...(version && { version }),
        execution_optimistic: false,
        finalized: true,
        execution_payload_blinded: false,
        execution_payload_included: false,
        execution_payload_value: '0',
        consensus_block_value: '0',
        ...facts,
      }
      const used: [ConsensusVersion, string][] = []
      const codec = responseTypes[path]?.((name, fork) => {
        used.push([fork ?? version ?? expect.unreachable(), name])
        return typesOf(path, version)(name, fork)
      }, envelope)
      const [type] = used
      const item = type && defaultOf(...type).toJson(defaultOf(...type).defaultValue())
      const isList = codec?.encode.length === 1 && !type
      const json = type && !/pending|sidecars|pool/.test(path) ? item : isList ? [] : [item, item]
      const bytes = codec?.encode(json) ?? expect.unreachable()
      const decoded: unknown = decodeSsz(path as never, { bytes, ...envelope } as never)
      // Compared as text, which is faster for states.
      expect(JSON.stringify(decoded) === JSON.stringify({ ...envelope, data: json })).toBe(true)
      expect(faults(schema, decoded)).toEqual([])
    },
  )
})

describe('the table of requests', () => {
  it('has exactly the operations that accept SSZ', () => {
    expect(Object.keys(requestTypes).toSorted()).toEqual(sszRequests.map(({ path }) => path).toSorted())
  })

  const single = { committee_index: '1', attester_index: '2', signature: `0x${'11'.repeat(96)}` }
  const checkpoint = { epoch: '1', root: `0x${'22'.repeat(32)}` }
  const data = {
    slot: '9',
    index: '0',
    beacon_block_root: checkpoint.root,
    source: checkpoint,
    target: checkpoint,
  }

  it('encodes lists of fixed and variable size as SSZ', () => {
    const path = '/eth/v2/beacon/pool/attestations'
    const fixed = encodeSsz(path, 'electra', [
      { ...single, data },
      { ...single, data },
    ])
    expect(fixed).toHaveLength(2 * (8 + 8 + 128 + 96))
    const varying = encodeSsz(path, 'deneb', [
      { aggregation_bits: '0x0103', data, signature: single.signature },
    ])
    expect([...varying.subarray(0, 4)]).toEqual([4, 0, 0, 0])
    expect(varying).toHaveLength(4 + 4 + 128 + 96 + 2)
    const attestation = ssz.phase0.Attestation.toJson(ssz.phase0.Attestation.deserialize(varying.subarray(4)))
    expect(attestation).toEqual({ aggregation_bits: '0x0103', data, signature: single.signature })
  })

  it.each([
    ['deneb', 'SignedBlockContents'],
    ['fulu', 'SignedBlockContents'],
    ['capella', 'SignedBeaconBlock'],
    ['gloas', 'SignedBeaconBlock'],
  ] as const)('publishes a block of %s as %s', (version, name) => {
    const type = defaultOf(version, name)
    const json = type.toJson(type.defaultValue())
    expect(encodeSsz('/eth/v2/beacon/blocks', version, json as never)).toEqual(
      type.serialize(type.defaultValue()),
    )
  })

  it('rejects a value of another type, without showing it', () => {
    const encode = () => encodeSsz('/eth/v2/beacon/blocks', 'fulu', { signed_block: 's3cr3t' } as never)
    expect(encode).toThrow('CONFIG_INVALID')
    expect(encode).not.toThrow('s3cr3t')
  })
})

describe('decodeSsz', () => {
  const path = '/eth/v2/beacon/blocks/{block_id}'
  it.each([
    ['truncated bytes', { bytes: new Uint8Array([1, 2, 3]), version: 'fulu' }, 'bytes'],
    ['no fork', { bytes: new Uint8Array() }, 'version'],
    ['an unknown fork', { bytes: new Uint8Array(), version: 'glamsterdam' }, 'version'],
  ])('rejects %s', (_, response, field) => {
    try {
      decodeSsz(path, response as never)
    } catch (error) {
      expect(FairleadError.is(error, 'DECODE_INVALID') && error.details.path).toBe(field)
      return
    }
    expect.unreachable()
  })

  it('reads lists of records and integers beyond 2^53', () => {
    const bytes = new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0, ...Array<number>(8).fill(255)])
    expect(decodeSsz('/eth/v1/beacon/states/{state_id}/validator_balances', { bytes })).toEqual({
      data: [{ index: '1', balance: '18446744073709551615' }],
    })
    expect(() =>
      decodeSsz('/eth/v1/beacon/states/{state_id}/validator_balances', { bytes: bytes.subarray(1) }),
    ).toThrow('DECODE_INVALID')
  })
})

// Published values of mainnet.
const genesis = {
  genesis_validators_root: '0x4b363db94e286120d76eb905340fdd4e54bfe9f06bf33ff6cf5ad27f511bfe95',
}
const spec = {
  GENESIS_FORK_VERSION: '0x00000000',
  ALTAIR_FORK_VERSION: '0x01000000',
  ALTAIR_FORK_EPOCH: '74240',
  BELLATRIX_FORK_VERSION: '0x02000000',
  BELLATRIX_FORK_EPOCH: '144896',
  CAPELLA_FORK_VERSION: '0x03000000',
  CAPELLA_FORK_EPOCH: '194048',
  DENEB_FORK_VERSION: '0x04000000',
  DENEB_FORK_EPOCH: '269568',
  ELECTRA_FORK_VERSION: '0x05000000',
  ELECTRA_FORK_EPOCH: '364032',
  FULU_FORK_VERSION: '0x06000000',
  FULU_FORK_EPOCH: '411392',
  MAX_BLOBS_PER_BLOCK_ELECTRA: '9',
  BLOB_SCHEDULE: [
    { EPOCH: '412672', MAX_BLOBS_PER_BLOCK: '15' },
    { EPOCH: '419072', MAX_BLOBS_PER_BLOCK: '21' },
  ],
}

describe('light client updates', () => {
  it('have the fork of their digest', async () => {
    const digests = await forkDigests(genesis, spec)
    const altair = ssz.altair.LightClientUpdate
    const electra = ssz.electra.LightClientUpdate
    const frame = (digest: string, update: Uint8Array): readonly number[] => {
      const length = new DataView(new ArrayBuffer(8))
      length.setBigUint64(0, BigInt(update.length + 4), true)
      return [...new Uint8Array(length.buffer), ...Buffer.from(digest.slice(2), 'hex'), ...update]
    }
    const bytes = new Uint8Array([
      ...frame('0x4a26c58b', altair.serialize(altair.defaultValue())),
      ...frame('0xad532ceb', electra.serialize(electra.defaultValue())),
    ])
    expect(decodeLightClientUpdates({ bytes }, digests)).toEqual([
      { version: 'bellatrix', data: altair.toJson(altair.defaultValue()) },
      { version: 'electra', data: electra.toJson(electra.defaultValue()) },
    ])
    expect(() => decodeLightClientUpdates({ bytes }, {})).toThrow('fork_digest')
  })

  it('have the digests of the main network', async () => {
    expect(await forkDigests(genesis, spec)).toEqual({
      '0x4a26c58b': 'bellatrix',
      '0x6a95a1a9': 'deneb',
      '0x8c9f62fe': 'fulu',
      '0xad532ceb': 'electra',
      '0xafcaaba0': 'altair',
      '0xb5303f2a': 'phase0',
      '0xbba4da96': 'capella',
      '0xcb0d1acc': 'fulu',
      '0xcc2c5cdb': 'fulu',
    })
  })

  it('have one digest for a fork whose first blob limit applies from its start', async () => {
    const epochs = Object.keys(spec).filter((name) => name.endsWith('_EPOCH'))
    const development = {
      ...spec,
      ...Object.fromEntries(epochs.map((name) => [name, '0'])),
      BLOB_SCHEDULE: [{ EPOCH: '0', MAX_BLOBS_PER_BLOCK: '12' }],
    }
    const forks = Object.values(await forkDigests(genesis, development))
    expect(forks.filter((fork) => fork === 'fulu')).toHaveLength(1)
  })
})
