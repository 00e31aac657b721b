import type { protobufDescriptors } from '@fairlead/codegen/src/protobuf.ts'
import type { ProtoContent, ProtoMessageUse, ProtoService } from '../src/reference/documents/document.ts'
import type { JsonSchema } from '../src/reference/schema/json-schema.ts'

type File = Awaited<ReturnType<typeof protobufDescriptors>>['file'][number]
type Message = File['messageType'][number]
type Enum = File['enumType'][number]
type Field = Message['field'][number]
type Method = File['service'][number]['method'][number]

// Field numbers in a descriptor, by which source code info refers to the commented element.
const inFile = { message: 4, enum: 5, service: 6 }
const inMessage = { field: 2, message: 3, enum: 4 }
const inEnum = { value: 2 }
const inService = { method: 2 }

// Type names by their number in descriptors; 10, 11 and 14 refer to groups, messages and enums.
const scalars: Readonly<Record<number, string>> = {
  1: 'double',
  2: 'float',
  3: 'int64',
  4: 'uint64',
  5: 'int32',
  6: 'fixed64',
  7: 'fixed32',
  8: 'bool',
  9: 'string',
  12: 'bytes',
  13: 'uint32',
  15: 'sfixed32',
  16: 'sfixed64',
  17: 'sint32',
  18: 'sint64',
}

const isRepeated = (label: number): boolean => label === 3

const description = `gRPC services that stream and query blockchain data, over HTTP/2 as gRPC and over HTTP/1.1 as gRPC-web.

- Every call requires the metadata entry \`x-token\`, the token of a node credential, including calls of the health and
  reflection services.
- Browsers cannot send gRPC calls. The gateway supports server reflection, so tools such as \`grpcurl\` need no proto
  files.`

/** Converts services, messages and enums with their comments to the content of a document. */
export function protoContent({ file }: { readonly file: readonly File[] }): ProtoContent {
  const messages = file.flatMap((proto) => messagesOf(proto))
  return {
    info: { title: 'gRPC', version: '', description },
    services: file.flatMap((proto) => servicesOf(proto)),
    components: { schemas: Object.fromEntries(messages) },
  }
}

function servicesOf(proto: File): readonly ProtoService[] {
  const comments = commentsOf(proto)
  return proto.service.map((service, index) => {
    const path = [inFile.service, index]
    return {
      name: `${proto.package}.${service.name}`,
      description: comments(path),
      methods: service.method.map((method, position) => ({
        name: method.name,
        description: comments([...path, inService.method, position]),
        isDeprecated: method.options?.deprecated === true,
        request: { message: nameOf(method.inputType), isStream: method.clientStreaming },
        response: responseOf(method),
      })),
    }
  })
}

function responseOf(method: Method): ProtoMessageUse {
  return { message: nameOf(method.outputType), isStream: method.serverStreaming }
}

type SchemaEntry = readonly [name: string, schema: JsonSchema]
type Comments = (path: readonly number[]) => string

function messagesOf(proto: File): readonly SchemaEntry[] {
  const comments = commentsOf(proto)
  return [
    ...proto.messageType.flatMap((message, index) =>
      messageSchemas(message, proto.package, [inFile.message, index], comments),
    ),
    ...proto.enumType.map((nested, index) =>
      enumSchema(nested, proto.package, [inFile.enum, index], comments),
    ),
  ]
}

/** The schemas of a message and of its nested messages. */
function messageSchemas(
  message: Message,
  scope: string,
  path: readonly number[],
  comments: Comments,
): readonly SchemaEntry[] {
  const name = `${scope}.${message.name}`
  const entries = new Map(
    message.nestedType
      .filter(({ options }) => options?.mapEntry)
      .map((entry) => [`${name}.${entry.name}`, entry]),
  )
  const properties = message.field.map((field, index) => {
    const comment = comments([...path, inMessage.field, index])
    const schema = fieldSchema(field, message, entries)
    // A field without a comment gets the comment of its message.
    return [field.name, comment === '' ? schema : { ...schema, description: comment }]
  })
  const schema = { type: 'message', description: comments(path), properties: Object.fromEntries(properties) }
  return [
    [name, schema],
    ...message.nestedType.flatMap((nested, index) =>
      nested.options?.mapEntry
        ? []
        : messageSchemas(nested, name, [...path, inMessage.message, index], comments),
    ),
    ...message.enumType.map((nested, index) =>
      enumSchema(nested, name, [...path, inMessage.enum, index], comments),
    ),
  ]
}

function fieldSchema(field: Field, message: Message, entries: ReadonlyMap<string, Message>): JsonSchema {
  const oneof = field.proto3Optional ? undefined : message.oneofDecl[field.oneofIndex]
  return {
    ...valueSchema(field, entries),
    'x-number': field.number,
    ...(hasOneof(field) && oneof && { 'x-oneof': oneof.name }),
    ...(field.options?.deprecated && { deprecated: true }),
  }
}

// Without a oneof the index is 0 too.
function hasOneof(field: Field): boolean {
  return Object.hasOwn(field, 'oneofIndex')
}

function valueSchema(field: Field, entries: ReadonlyMap<string, Message>): JsonSchema {
  const entry = entries.get(nameOf(field.typeName))
  const [key, value] = entry?.field ?? []
  if (key && value) return { type: `map by ${scalars[key.type]}`, additionalProperties: singleSchema(value) }
  return isRepeated(field.label) ? { type: 'array', items: singleSchema(field) } : singleSchema(field)
}

function singleSchema(field: Field): JsonSchema {
  const scalar = scalars[field.type]
  return scalar === undefined ? { $ref: `#/components/schemas/${nameOf(field.typeName)}` } : { type: scalar }
}

function enumSchema(
  declaration: Enum,
  scope: string,
  path: readonly number[],
  comments: Comments,
): SchemaEntry {
  const values = declaration.value.map(({ name, number }, index) => ({
    const: name,
    description: comments([...path, inEnum.value, index]),
    'x-number': number,
  }))
  return [`${scope}.${declaration.name}`, { type: 'enum', description: comments(path), oneOf: values }]
}

/** The comments of a file by the path of the commented element. */
function commentsOf(proto: File): Comments {
  const texts = new Map(
    proto.sourceCodeInfo?.location.map(({ path, leadingComments }) => [path.join('.'), leadingComments]),
  )
  return (path) => (texts.get(path.join('.')) ?? '').trim().replaceAll(/\n /g, '\n')
}

// In descriptors a name begins with a dot.
function nameOf(type: string): string {
  return type.replace(/^\./, '')
}
