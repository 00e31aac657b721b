import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf'
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect'

/** Values that differ from zero and, if the type has a maximum, are the maximum. */
const scalars: Partial<Record<ScalarType, unknown>> = {
  [ScalarType.BOOL]: true,
  [ScalarType.BYTES]: Uint8Array.of(0, 1, 254, 255),
  [ScalarType.DOUBLE]: -0.5,
  [ScalarType.INT32]: -(2 ** 31),
  [ScalarType.INT64]: -(2n ** 63n),
  [ScalarType.STRING]: 'ключ 🔑',
  [ScalarType.UINT32]: 2 ** 32 - 1,
  [ScalarType.UINT64]: 2n ** 64n - 1n,
}

/**
 * Creates a message with every field set, three levels deep. Below that, messages are empty. Of each oneof, it sets the
 * member at the given position modulo the number of members.
 */
export function sampleOf(desc: DescMessage, choice: number): Message {
  return filled(desc, choice, 3).message
}

function filled(desc: DescMessage, choice: number, depth: number): ReflectMessage {
  const message = reflect(desc, create(desc))
  // A `Value` without a kind is invalid, so it gets a kind at any depth.
  if (depth === 0 && desc.typeName !== 'google.protobuf.Value') return message
  for (const field of desc.fields) {
    const members = field.oneof?.fields ?? [field]
    if (members[choice % members.length] !== field) continue
    const value = valueOf(field, choice, depth - 1)
    if (field.fieldKind === 'list') message.get(field).add(value)
    else if (field.fieldKind === 'map') message.get(field).set(String(scalars[field.mapKey]), value)
    else message.set(field, value)
  }
  return message
}

function valueOf(field: DescField, choice: number, depth: number): unknown {
  if (field.message) return filled(field.message, choice, Math.max(0, depth))
  if (field.enum) return field.enum.values.at(-1)?.number
  return field.scalar === undefined ? undefined : scalars[field.scalar]
}
