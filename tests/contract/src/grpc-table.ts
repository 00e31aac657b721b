import { readFileSync } from 'node:fs'

/** A field: `?` means explicit presence, `*` repeated, nothing implicit presence. */
export interface FieldRow {
  readonly number: number
  readonly name: string
  readonly label: string
  /** A scalar, a message or enum by its name, or `map<key,value>`. */
  readonly type: string
  readonly oneof?: string
}

export interface MessageRow {
  readonly name: string
  readonly fields: readonly FieldRow[]
  readonly reserved: readonly number[]
}

export interface EnumRow {
  readonly name: string
  readonly values: readonly { readonly name: string; readonly number: number }[]
}

export interface RpcRow {
  readonly name: string
  readonly request: string
  readonly requestStream: boolean
  readonly response: string
  readonly responseStream: boolean
}

export interface ServiceRow {
  readonly name: string
  readonly rpcs: readonly RpcRow[]
}

/** The table entry of a proto file. The names of nested types are dotted. */
export interface FileTable {
  readonly path: string
  readonly packageName: string
  readonly publicImports: readonly string[]
  readonly messages: readonly MessageRow[]
  readonly enums: readonly EnumRow[]
  readonly services: readonly ServiceRow[]
}

interface Line {
  readonly text: string
  readonly below: Line[]
}

/** Reads the proto files of a table in `fixtures/grpc`. Throws on an unknown line. */
export function readTable(name: string): FileTable[] {
  const text = readFileSync(new URL(`../fixtures/grpc/${name}.txt`, import.meta.url), 'utf8')
  const files: Line[][] = []
  for (const line of outline(text)) {
    if (line.text.startsWith('file ')) files.push([])
    const file = files.at(-1)
    if (!file) throw new Error(`${name}: "${line.text}" belongs to no file`)
    file.push(line)
  }
  return files.map(readFile)
}

/** Parses lines into a tree by indentation. */
function outline(text: string): Line[] {
  const levels: Line[][] = [[]]
  for (const row of text.split('\n')) {
    const [, indent = '', content = ''] = /^( *)(.*)$/.exec(row) ?? []
    if (content === '' || content.startsWith('#')) continue
    const depth = indent.length / 2
    const line: Line = { text: content, below: [] }
    const level = levels[depth]
    if (!level) throw new Error(`"${content}" is indented too far`)
    level.push(line)
    levels.splice(depth + 1, levels.length, line.below)
  }
  return levels[0] ?? []
}

function readFile(lines: readonly Line[]): FileTable {
  const under = (keyword: string) =>
    lines
      .filter((line) => line.text.startsWith(`${keyword} `))
      .map((line) => ({ name: line.text.slice(keyword.length + 1), below: line.below }))
  const known = ['file', 'package', 'import public', 'service', 'message', 'enum'].map(under)
  if (known.flat().length !== lines.length) throw new Error(`unknown lines in ${String(lines[0]?.text)}`)
  const [[file] = [], [packageName] = [], imports = [], services = [], messages = [], enums = []] = known
  return {
    path: file?.name ?? '',
    packageName: packageName?.name ?? '',
    publicImports: imports.map(({ name }) => name),
    services: services.map(({ name, below }) => ({ name, rpcs: below.map(readRpc) })),
    messages: messages.map(({ name, below }) => ({
      name,
      fields: below.filter((line) => !line.text.startsWith('reserved ')).flatMap(readField),
      reserved: below
        .flatMap((line) => (/^reserved (.*)$/.exec(line.text)?.[1] ?? '').match(/\d+/g) ?? [])
        .map(Number),
    })),
    enums: enums.map(({ name, below }) => ({
      name,
      values: below.map((line) => {
        const [, value, number] = matched(/^(\w+)=(\d+)$/, line)
        return { name: value, number: Number(number) }
      }),
    })),
  }
}

function readRpc(line: Line): RpcRow {
  const [, name, up, request, down, response] = matched(/^(\w+) (stream )?(\w+) -> (stream )?(\w+)$/, line)
  return { name, request, requestStream: up !== '', response, responseStream: down !== '' }
}

function readField(line: Line): FieldRow[] {
  if (line.text.startsWith('oneof ')) {
    const oneof = line.text.slice('oneof '.length)
    return line.below.flatMap(readField).map((field) => ({ ...field, oneof }))
  }
  const [, number, name, label, type] = matched(/^(\d+) (\w+)([?*]?):(\S+)$/, line)
  return [{ number: Number(number), name, label, type }]
}

/** The groups of a match. Groups that did not participate are empty strings. */
function matched(pattern: RegExp, { text }: Line): [string, string, string, string, string, string] {
  const [all = '', a = '', b = '', c = '', d = '', e = ''] = pattern.exec(text) ?? []
  if (all === '') throw new Error(`cannot read "${text}"`)
  return [all, a, b, c, d, e]
}
