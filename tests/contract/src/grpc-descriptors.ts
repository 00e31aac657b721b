import { create } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FieldDescriptorProto,
  FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  ServiceDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt'
import type { EnumRow, FieldRow, FileTable, MessageRow } from './grpc-table.ts'

/** The well-known files of the protobuf project that our protos import. */
export const wellKnownFiles: readonly FileDescriptorProto[] = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
].map((file) => file.proto)

interface Declared {
  readonly fullName: string
  readonly path: string
  readonly type: FieldDescriptorProto_Type
}

const { MESSAGE, ENUM } = FieldDescriptorProto_Type

const scalars: Readonly<Record<string, FieldDescriptorProto_Type>> = {
  bool: FieldDescriptorProto_Type.BOOL,
  bytes: FieldDescriptorProto_Type.BYTES,
  double: FieldDescriptorProto_Type.DOUBLE,
  int32: FieldDescriptorProto_Type.INT32,
  int64: FieldDescriptorProto_Type.INT64,
  string: FieldDescriptorProto_Type.STRING,
  uint32: FieldDescriptorProto_Type.UINT32,
  uint64: FieldDescriptorProto_Type.UINT64,
}

/** Builds the descriptors that protoc would create from the files of some tables. */
export function descriptorsOf(tables: readonly FileTable[]): FileDescriptorProto[] {
  const declared = new Map<string, Declared>()
  const declare = (path: string, fullName: string, type: FieldDescriptorProto_Type) =>
    declared.set(fullName, { fullName, path, type })
  for (const { name: path, package: packageName, messageType } of wellKnownFiles)
    for (const { name } of messageType) declare(path, `${packageName}.${name}`, MESSAGE)
  for (const { path, packageName, messages, enums } of tables) {
    for (const { name } of messages) declare(path, `${packageName}.${name}`, MESSAGE)
    for (const { name } of enums) declare(path, `${packageName}.${name}`, ENUM)
  }
  return tables.map((table) => fileOf(table, declared))
}

function fileOf(table: FileTable, declared: ReadonlyMap<string, Declared>): FileDescriptorProto {
  const { path, packageName, publicImports } = table
  const imports = new Set<string>(publicImports)
  const find = (name: string): Declared => {
    const found = declared.get(`${packageName}.${name}`) ?? declared.get(name)
    if (!found) throw new Error(`${path}: no type ${name}`)
    if (found.path !== path) imports.add(found.path)
    return found
  }
  const messageType = messagesBelow(table, '', find)
  const enumType = enumsBelow(table, '')
  const service = table.services.map(({ name, rpcs }) =>
    create(ServiceDescriptorProtoSchema, {
      name,
      method: rpcs.map((rpc) => ({
        name: rpc.name,
        inputType: `.${find(rpc.request).fullName}`,
        outputType: `.${find(rpc.response).fullName}`,
        clientStreaming: rpc.requestStream,
        serverStreaming: rpc.responseStream,
      })),
    }),
  )
  return create(FileDescriptorProtoSchema, {
    name: path,
    package: packageName,
    syntax: 'proto3',
    dependency: [...imports],
    publicDependency: publicImports.map((_, index) => index),
    messageType,
    enumType,
    service,
  })
}

type Find = (name: string) => Declared

/** The last part of a dotted name, if the rest of the name is the given scope. */
function nameBelow(scope: string, { name }: { readonly name: string }): string | undefined {
  const simpleName = name.slice(name.lastIndexOf('.') + 1)
  return name === (scope ? `${scope}.${simpleName}` : simpleName) ? simpleName : undefined
}

function messagesBelow(table: FileTable, scope: string, find: Find): DescriptorProto[] {
  return table.messages.flatMap((row) => {
    const name = nameBelow(scope, row)
    return name === undefined ? [] : [messageOf(row, name, table, find)]
  })
}

function enumsBelow(table: FileTable, scope: string): EnumDescriptorProto[] {
  return table.enums.flatMap((row: EnumRow) => {
    const name = nameBelow(scope, row)
    return name === undefined ? [] : [create(EnumDescriptorProtoSchema, { name, value: [...row.values] })]
  })
}

function messageOf(row: MessageRow, name: string, table: FileTable, find: Find): DescriptorProto {
  const { fields, reserved } = row
  const choices = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))]
  // An optional field has a synthetic oneof. Synthetic oneofs come after the others.
  const optional = fields.filter(({ label }) => label === '?').map((field) => `_${field.name}`)
  const oneofs = [...choices, ...optional]
  const entries: DescriptorProto[] = []
  const field = fields.map((declaration) => {
    const choice = declaration.label === '?' ? `_${declaration.name}` : declaration.oneof
    const map = /^map<(\w+),(\S+)>$/.exec(declaration.type)
    if (map) entries.push(entryOf(declaration, map[1] ?? '', map[2] ?? '', find))
    const type = map
      ? { type: MESSAGE, typeName: `.${table.packageName}.${row.name}.${entryName(declaration)}` }
      : typeOf(declaration.type, find)
    return fieldOf(declaration.name, declaration.number, type, {
      repeated: declaration.label === '*' || map !== null,
      proto3Optional: declaration.label === '?',
      ...(choice !== undefined && { oneofIndex: oneofs.indexOf(choice) }),
    })
  })
  return create(DescriptorProtoSchema, {
    name,
    field,
    nestedType: [...entries, ...messagesBelow(table, row.name, find)],
    enumType: enumsBelow(table, row.name),
    oneofDecl: oneofs.map((oneof) => ({ name: oneof })),
    reservedRange: reserved.map((start) => ({ start, end: start + 1 })),
  })
}

interface Type {
  readonly type: FieldDescriptorProto_Type
  readonly typeName?: string
}

function typeOf(name: string, find: Find): Type {
  const scalar = scalars[name]
  if (scalar !== undefined) return { type: scalar }
  const { type, fullName } = find(name)
  return { type, typeName: `.${fullName}` }
}

interface Presence {
  readonly repeated?: boolean
  readonly proto3Optional?: boolean
  readonly oneofIndex?: number
}

function fieldOf(name: string, number: number, type: Type, presence: Presence): FieldDescriptorProto {
  const { repeated = false, proto3Optional = false, oneofIndex } = presence
  return create(FieldDescriptorProtoSchema, {
    name,
    number,
    jsonName: name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    label: repeated ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
    ...type,
    ...(proto3Optional && { proto3Optional }),
    ...(oneofIndex !== undefined && { oneofIndex }),
  })
}

/** A map is a repeated message with a key and a value. */
function entryOf(field: FieldRow, key: string, value: string, find: Find): DescriptorProto {
  return create(DescriptorProtoSchema, {
    name: entryName(field),
    field: [fieldOf('key', 1, typeOf(key, find), {}), fieldOf('value', 2, typeOf(value, find), {})],
    options: { mapEntry: true },
  })
}

function entryName({ name }: FieldRow): string {
  return `${name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}Entry`
}

/** All statements of a file about the wire format, one line each, sorted, independent of the order in the file. */
export function factsOf(file: FileDescriptorProto): string[] {
  const { dependency, publicDependency, enumType, messageType, service } = file
  const imports = dependency.map(
    (path, index) => `import ${publicDependency.includes(index) ? 'public ' : ''}${path}`,
  )
  const rpcs = service.flatMap(({ name, method }) =>
    method.map(
      (rpc) =>
        `rpc ${name}.${rpc.name} ${rpc.clientStreaming ? 'stream ' : ''}${rpc.inputType} ` +
        `-> ${rpc.serverStreaming ? 'stream ' : ''}${rpc.outputType}`,
    ),
  )
  return [
    `syntax ${file.syntax}`,
    `package ${file.package}`,
    ...imports,
    ...service.map(({ name }) => `service ${name}`),
    ...rpcs,
    ...enumType.flatMap((nested) => enumFacts(nested, '')),
    ...messageType.flatMap((message) => messageFacts(message, '')),
  ].toSorted()
}

function enumFacts({ name, value }: EnumDescriptorProto, scope: string): string[] {
  return [
    `enum ${scope}${name}`,
    ...value.map((item) => `value ${scope}${name}.${item.name} = ${item.number}`),
  ]
}

function messageFacts(message: DescriptorProto, scope: string): string[] {
  const { field, oneofDecl, reservedRange, nestedType, enumType, options } = message
  const name = `${scope}${message.name}`
  const fields = field.map((declaration) => {
    const label = FieldDescriptorProto_Label[declaration.label].toLowerCase()
    const type = declaration.typeName || FieldDescriptorProto_Type[declaration.type].toLowerCase()
    const choice =
      declaration.oneofIndex === undefined ? '' : ` in ${String(oneofDecl[declaration.oneofIndex]?.name)}`
    const presence = declaration.proto3Optional ? ' with presence' : ''
    const packing = declaration.options?.packed === undefined ? '' : ` packed ${declaration.options.packed}`
    return `field ${name}.${declaration.name} = ${declaration.number} (${declaration.jsonName}) ${label} ${type}${choice}${presence}${packing}`
  })
  return [
    `message ${name}${options?.mapEntry ? ' of a map' : ''}`,
    ...fields,
    ...oneofDecl.map((oneof) => `oneof ${name}.${oneof.name}`),
    ...reservedRange.map(({ start, end }) => `reserved ${name} from ${start} to ${end - 1}`),
    ...nestedType.flatMap((nested) => messageFacts(nested, `${name}.`)),
    ...enumType.flatMap((nested) => enumFacts(nested, `${name}.`)),
  ]
}
