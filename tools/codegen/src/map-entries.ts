/**
 * Fixes how generated code reads map entries.
 *
 * An encoder may omit an empty value, as Rust encoders do. The entry then represents an empty message, but ts-proto
 * drops it: a filter `{ slots: { all: {} } }` would be decoded as no filter. A key of `__proto__` would be lost as
 * well, because assigning it sets the prototype of the object instead of a property.
 *
 * @param source - a file that ts-proto generated
 * @returns the file with complete reading of every message-valued map
 * @throws Error for an unknown form of reading an entry: ts-proto has changed, and this function must be adapted
 * @see https://protobuf.dev/programming-guides/encoding/#maps
 */
export function withWholeMaps(source: string): string {
  let changed = 0
  const result = source.replace(
    reading,
    (_, indent: string, entry: string, codec: string, field: string, key: string) => {
      changed += 1
      const value = messageOf(source, codec)
      const read =
        value === undefined ? `${entry}.value` : `${entry}.value ?? ${value}.decode(new Uint8Array(0))`
      return [
        `const ${entry} = ${codec}.decode(reader, reader.uint32());`,
        `globalThis.Object.defineProperty(message.${field}, ${key}, {`,
        `  value: ${read},`,
        '  configurable: true,',
        '  enumerable: true,',
        '  writable: true,',
        '});',
      ]
        .map((line) => indent + line)
        .join('\n')
    },
  )
  const expected = source.match(/const entry\d+ = /g)?.length ?? 0
  if (changed !== expected) {
    throw new Error(`${expected - changed} of ${expected} maps are read in a form that is not known`)
  }
  return result
}

const reading =
  /^( *)const (entry\d+) = (\w+)\.decode\(reader, reader\.uint32\(\)\);\n *if \(\2\.value !== undefined\) \{\n *message\.(\w+)\[(\2\.key(?: as any)?)\] = \2\.value;\n *\}/gm

/** Returns the message type of the entries of a map. Undefined for a scalar, whose default ts-proto handles. */
function messageOf(source: string, codec: string): string | undefined {
  const start = source.indexOf(`export const ${codec}:`)
  const end = source.indexOf('\n};', start)
  return /message\.value = (\w+)\.decode\(/.exec(source.slice(start, end))?.[1]
}
