import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  clone,
  createFileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { breakingChanges, buildProtos, writeDescriptors } from './buf.ts'
import { descriptorsOf, factsOf, wellKnownFiles } from './grpc-descriptors.ts'
import { readTable } from './grpc-table.ts'

const rebuilt = descriptorsOf(['geyser', 'sui', 'standard'].flatMap(readTable))

const folder = await mkdtemp(join(tmpdir(), 'fairlead-contract-'))
afterAll(() => rm(folder, { recursive: true }))

const builtPath = join(folder, 'built.binpb')
const rebuiltPath = join(folder, 'rebuilt.binpb')
const built = await buildProtos(builtPath)
const ours = built.file.filter(({ name }) => !name.startsWith('google/protobuf/'))

beforeAll(() => writeDescriptors(rebuiltPath, [...wellKnownFiles, ...rebuilt]))

function fileNamed(files: readonly FileDescriptorProto[], path: string): FileDescriptorProto {
  const found = files.find(({ name }) => name === path)
  if (!found) throw new Error(`no file ${path}`)
  return found
}

function countsOf(files: readonly FileDescriptorProto[]) {
  const below = (messages: readonly DescriptorProto[]): readonly DescriptorProto[] =>
    messages.flatMap((message) => [message, ...below(message.nestedType)])
  const messages = below(files.flatMap(({ messageType }) => messageType))
  const services = files.flatMap(({ service }) => service)
  return {
    services: services.length,
    rpcs: services.flatMap(({ method }) => method).length,
    messages: messages.filter(({ options }) => !options?.mapEntry).length,
    maps: messages.filter(({ options }) => options?.mapEntry).length,
    enums: [...files, ...messages].flatMap(({ enumType }) => enumType).length,
  }
}

describe('the protos', () => {
  it('are the files of the tables', () => {
    const paths = (files: readonly FileDescriptorProto[]) => files.map(({ name }) => name).toSorted()
    expect(paths(ours)).toEqual(paths(rebuilt))
  })

  it('import the files of the protobuf project that the tables need', () => {
    const imported = built.file.filter(({ name }) => name.startsWith('google/protobuf/'))
    expect(imported.map(({ name }) => name).toSorted()).toEqual(
      wellKnownFiles.map(({ name }) => name).toSorted(),
    )
  })

  it.each([
    { name: 'geyser', services: 1, rpcs: 9, messages: 44, maps: 9, enums: 4 },
    { name: 'solana.storage.ConfirmedBlock', services: 0, rpcs: 0, messages: 20, maps: 0, enums: 1 },
    { name: 'sui.rpc.v2', services: 7, rpcs: 27, messages: 192, maps: 5, enums: 34 },
    { name: 'grpc.health.v1', services: 1, rpcs: 3, messages: 4, maps: 1, enums: 1 },
    { name: 'grpc.reflection.v1', services: 1, rpcs: 1, messages: 8, maps: 0, enums: 0 },
    { name: 'grpc.reflection.v1alpha', services: 1, rpcs: 1, messages: 8, maps: 0, enums: 0 },
    { name: 'google.rpc', services: 0, rpcs: 0, messages: 1, maps: 0, enums: 0 },
  ])(
    '$name has $services services, $rpcs rpcs, $messages messages, $maps map entries and $enums enums',
    ({ name, ...counts }) => {
      const inPackage = ({ package: packageName }: FileDescriptorProto) => packageName === name
      expect(countsOf(ours.filter(inPackage))).toEqual(counts)
      expect(countsOf(rebuilt.filter(inPackage))).toEqual(counts)
    },
  )

  it.each(rebuilt.map(({ name }) => name))('%s matches the table', (path) => {
    expect(factsOf(fileNamed(ours, path))).toEqual(factsOf(fileNamed(rebuilt, path)))
  })

  it('are compatible with the tables in both directions', async () => {
    expect(await breakingChanges(builtPath, rebuiltPath)).toEqual([])
    expect(await breakingChanges(rebuiltPath, builtPath)).toEqual([])
  })
})

/** The files with one field number changed. */
function renumbered(path: string, message: string, field: string, number: number): FileDescriptorProto[] {
  return rebuilt.map((file) => {
    if (file.name !== path) return file
    const changed = clone(FileDescriptorProtoSchema, file)
    const found = changed.messageType
      .find(({ name }) => name === message)
      ?.field.find(({ name }) => name === field)
    if (!found) throw new Error(`no field ${message}.${field}`)
    found.number = number
    return changed
  })
}

describe('the comparison', () => {
  const changed = renumbered('geyser.proto', 'SubscribeUpdateSlot', 'status', 9)

  it('detects a changed number', () => {
    expect(factsOf(fileNamed(ours, 'geyser.proto'))).not.toEqual(factsOf(fileNamed(changed, 'geyser.proto')))
  })

  it('gets a changed number from buf', async () => {
    const path = join(folder, 'changed.binpb')
    await writeDescriptors(path, [...wellKnownFiles, ...changed])
    expect((await breakingChanges(builtPath, path)).join('\n')).toContain('"9"')
    expect((await breakingChanges(path, builtPath)).join('\n')).toContain('"3"')
  })
})

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))

// Bytes that were recorded from deployed programs, or written by hand from the encoding rules.
const samples: readonly {
  readonly label: string
  readonly type: string
  readonly bytes: string
  readonly json: JsonValue
}[] = [
  {
    label: 'a map entry without its value, as Rust leaves out empty ones',
    type: 'geyser.SubscribeRequest',
    bytes: '12 03 0a 01 61',
    json: { slots: { a: {} } },
  },
  {
    label: 'a zero that is present',
    type: 'geyser.SubscribeRequestFilterTransactions',
    bytes: '08 00 f0 01 00',
    json: { vote: false, tokenAccounts: 'ALL' },
  },
  {
    label: 'the zero of a choice',
    type: 'geyser.SubscribeRequestFilterAccountsFilter',
    bytes: '10 00',
    json: { datasize: '0' },
  },
  {
    label: 'packed numbers',
    type: 'solana.storage.ConfirmedBlock.TransactionStatusMeta',
    bytes: '10 88 27 1a 03 01 ac 02 80 01 07',
    json: { fee: '5000', preBalances: ['1', '300'], computeUnitsConsumed: '7' },
  },
  {
    label: 'a number below zero',
    type: 'solana.storage.ConfirmedBlock.Reward',
    bytes: '10 ff ff ff ff ff ff ff ff ff 01 20 04',
    json: { lamports: '-1', rewardType: 'Voting' },
  },
  {
    label: 'a field with a large number',
    type: 'sui.rpc.v2.Input',
    bytes: 'c2 3e 03 1a 01 61',
    json: { literal: 'a' },
  },
  {
    label: 'an enum whose zero has a meaning',
    type: 'sui.rpc.v2.UserSignature',
    bytes: '10 00',
    json: { scheme: 'ED25519' },
  },
  {
    label: 'a map with plain values',
    type: 'sui.rpc.v2.ValidatorSet',
    bytes: '42 05 0a 01 61 10 02',
    json: { atRiskValidators: { a: '2' } },
  },
  {
    label: 'a status inside of a batch',
    type: 'sui.rpc.v2.GetObjectResult',
    bytes: '12 07 08 05 12 03 61 62 63',
    json: { error: { code: 5, message: 'abc' } },
  },
  {
    label: 'a health status',
    type: 'grpc.health.v1.HealthCheckResponse',
    bytes: '08 01',
    json: { status: 'SERVING' },
  },
  {
    label: 'a question about services',
    type: 'grpc.reflection.v1.ServerReflectionRequest',
    bytes: '3a 00',
    json: { listServices: '' },
  },
]

describe('the wire format', () => {
  const registry = createFileRegistry(built)

  it.each(samples)('$label: $type', ({ type, bytes, json }) => {
    const message = registry.getMessage(type)
    if (!message) throw new Error(`no message ${type}`)
    const decoded = fromBinary(message, hex(bytes))
    expect(toJson(message, decoded, { registry })).toEqual(json)
    expect(decoded.$unknown).toBeUndefined()
    expect(fromBinary(message, toBinary(message, fromJson(message, json, { registry })))).toEqual(decoded)
  })
})
