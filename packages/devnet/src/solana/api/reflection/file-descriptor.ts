/** The parts of a proto file that reflection needs. */
export interface ProtoFile {
  readonly name: string
  /** The encoded `google.protobuf.FileDescriptorProto`. */
  readonly bytes: Uint8Array
  /** Names of the files that it imports. */
  readonly imports: readonly string[]
  /**
   * Full names of all its declarations: messages with their fields and oneofs, enums and their values, services,
   * methods.
   */
  readonly symbols: readonly string[]
  /** Full names of its services. */
  readonly services: readonly string[]
}

/**
 * Parses a proto file.
 *
 * @param bytes a `google.protobuf.FileDescriptorProto`
 * @see https://github.com/protocolbuffers/protobuf/blob/main/src/google/protobuf/descriptor.proto
 */
export function readProtoFile(bytes: Uint8Array): ProtoFile {
  const parts = partsOf(bytes)
  const prefix = parts.text(2)
  const services = parts.all(6).map((service) => join(prefix, partsOf(service).text(1)))
  return {
    name: parts.text(1),
    bytes,
    imports: parts.all(3).map(decode),
    symbols: [
      ...parts.all(4).flatMap((message) => messageSymbols(message, prefix)),
      ...parts.all(5).flatMap((enumeration) => enumSymbols(enumeration, prefix)),
      ...parts.all(6).flatMap((service) => namedSymbols(service, prefix, [2])),
    ],
    services,
  }
}

function messageSymbols(message: Uint8Array, prefix: string): string[] {
  const parts = partsOf(message)
  const name = join(prefix, parts.text(1))
  return [
    // Its fields and oneofs.
    ...namedSymbols(message, prefix, [2, 8]),
    ...parts.all(3).flatMap((nested) => messageSymbols(nested, name)),
    ...parts.all(4).flatMap((enumeration) => enumSymbols(enumeration, name)),
  ]
}

// Enum values are in the scope around the enum, not in the scope of the enum.
function enumSymbols(enumeration: Uint8Array, prefix: string): string[] {
  const parts = partsOf(enumeration)
  return [join(prefix, parts.text(1)), ...parts.all(2).map((value) => join(prefix, partsOf(value).text(1)))]
}

/** Returns the name of a declaration, and the names of its members in the fields with these numbers. */
function namedSymbols(bytes: Uint8Array, prefix: string, members: readonly number[]): string[] {
  const parts = partsOf(bytes)
  const name = join(prefix, parts.text(1))
  return [
    name,
    ...members.flatMap((number) => parts.all(number).map((member) => join(name, partsOf(member).text(1)))),
  ]
}

interface Parts {
  /** Returns all fields with a number. */
  all(number: number): readonly Uint8Array[]
  /** Returns the first field with a number as a text; empty when there is none. */
  text(number: number): string
}

// Returns the length-delimited fields of a message; numbers are skipped.
function partsOf(bytes: Uint8Array): Parts {
  const fields: (readonly [number, Uint8Array])[] = []
  let position = 0
  const readNumber = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[position++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  while (position < bytes.length) {
    const tag = readNumber()
    const wireType = tag & 7
    if (wireType === 0) readNumber()
    else if (wireType === 2) {
      const length = readNumber()
      fields.push([tag >>> 3, bytes.subarray(position, position + length)])
      position += length
    } else position += wireType === 1 ? 8 : 4
  }
  const all = (number: number): readonly Uint8Array[] =>
    fields.filter(([fieldNumber]) => fieldNumber === number).map(([, field]) => field)
  return { all, text: (number) => decode(all(number)[0] ?? new Uint8Array()) }
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}

function join(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`
}
