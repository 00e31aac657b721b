import type {
  DescriptorProto,
  EnumDescriptorProto,
  FileDescriptorProto,
  FileDescriptorSet,
} from '@bufbuild/protobuf/wkt'

/** A named element of proto files. */
export interface ProtoElement {
  readonly kind: 'file' | 'message' | 'field' | 'enum' | 'enum value' | 'service' | 'method'
  /** Full name, including package and parents. */
  readonly name: string
  /** Full name of the containing element, with which it was added or removed. */
  readonly parent: string | undefined
  readonly file: string
  readonly deprecated: boolean
}

/** Returns every element of some proto files by kind and name, parents before their children. */
export function elementsOf({ file }: FileDescriptorSet): ReadonlyMap<string, ProtoElement> {
  const found = file.flatMap(elementsOfFile)
  return new Map(found.map((element) => [`${element.kind} ${element.name}`, element]))
}

type Add = (
  kind: ProtoElement['kind'],
  name: string,
  parent: string | undefined,
  options: { readonly deprecated: boolean } | undefined,
) => void

function elementsOfFile(file: FileDescriptorProto): readonly ProtoElement[] {
  const found: ProtoElement[] = []
  const add: Add = (kind, name, parent, options) => {
    found.push({ kind, name, parent, file: file.name, deprecated: options?.deprecated ?? false })
  }
  const inPackage = (name: string) => (file.package === '' ? name : `${file.package}.${name}`)
  add('file', file.name, undefined, file.options)
  for (const message of file.messageType) addMessage(add, inPackage(message.name), undefined, message)
  for (const each of file.enumType) addEnum(add, inPackage(each.name), undefined, each)
  for (const service of file.service) {
    const name = inPackage(service.name)
    add('service', name, undefined, service.options)
    for (const method of service.method) add('method', `${name}.${method.name}`, name, method.options)
  }
  return found
}

function addMessage(add: Add, name: string, parent: string | undefined, message: DescriptorProto): void {
  // Messages of this kind are the encoding of maps.
  if (message.options?.mapEntry === true) return
  add('message', name, parent, message.options)
  for (const field of message.field) add('field', `${name}.${field.name}`, name, field.options)
  for (const nested of message.nestedType) addMessage(add, `${name}.${nested.name}`, name, nested)
  for (const nested of message.enumType) addEnum(add, `${name}.${nested.name}`, name, nested)
}

function addEnum(add: Add, name: string, parent: string | undefined, definition: EnumDescriptorProto): void {
  add('enum', name, parent, definition.options)
  for (const value of definition.value) add('enum value', `${name}.${value.name}`, name, value.options)
}
