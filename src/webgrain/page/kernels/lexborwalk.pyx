# cython: language_level=3, boundscheck=False, wraparound=False
"""The columns of a tree straight from Lexbor's nodes, by the functions that selectolax's library exports.

Same columns as `webgrain.page.kernels.domwalk.walk`, without a Python object per node. No layout of a struct is known
here: nodes are pointers that are only handed to Lexbor's own functions. There is nothing to run uncompiled; who
uses it checks first that the library is one that was tried (`webgrain.page.parsing`).
"""

import ctypes

import numpy as np

import os

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Realloc
from libc.string cimport memcmp, memcpy

from webgrain.page.values import current_values
from webgrain.page.vocabulary import NAMES, NUMBER_OF_NAME, NUMBER_OF_TAG, TAGS, with_others

cdef enum:
    ELEMENT = 1
    TEXT = 3
    SLOTS = 256

ctypedef int (*Kind)(void*) noexcept nogil
ctypedef void* (*Step)(void*) noexcept nogil
ctypedef const char* (*Read)(void*, size_t*) noexcept nogil
ctypedef void (*Release)(void*, const char*) noexcept nogil


cdef size_t _address(library, str name) except 0:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value


cdef class Column:
    """Bytes or ints that are appended to."""

    cdef char* data
    cdef Py_ssize_t size
    cdef Py_ssize_t room

    def __dealloc__(self):
        PyMem_Free(self.data)

    cdef inline int reserve(self, Py_ssize_t more) except -1:
        if self.size + more > self.room:
            room = 2 * (self.size + more) + 1024
            data = <char*> PyMem_Realloc(self.data, room)
            if data == NULL:
                raise MemoryError
            self.data, self.room = data, room
        return 0

    cdef inline int add(self, int value) except -1:
        self.reserve(sizeof(int))
        (<int*> (self.data + self.size))[0] = value
        self.size += sizeof(int)
        return 0

    cdef inline Py_ssize_t extend(self, const char* data, Py_ssize_t size) except -1:
        """Append UTF-8 and return its number of characters: of its bytes that continue none."""
        cdef Py_ssize_t i, chars = 0
        self.reserve(size)
        memcpy(self.data + self.size, data, size)
        self.size += size
        for i in range(size):
            chars += (data[i] & 0xC0) != 0x80
        return chars

    cdef inline int* ints(self) noexcept:
        return <int*> self.data

    cdef bytes bytes(self):
        return PyBytes_FromStringAndSize(self.data, self.size)

    cdef freeze(self):
        return np.frombuffer(self.bytes(), np.int32)


cdef class Names:
    """Numbers of names: those of a vocabulary, then the others by first appearance.

    Lexbor keeps one copy of a name, so that its address is looked up first.
    """

    cdef const char* known[SLOTS]
    cdef int number_of[SLOTS]
    cdef dict standard, others

    def __cinit__(self, dict standard):
        self.standard, self.others = standard, {}

    cdef int number(self, const char* name, size_t length) except -1:
        cdef size_t slot = (<size_t> name >> 4) % SLOTS
        if self.known[slot] != name:
            # Names that differ in ASCII case alone share a number, as in SVG's ``viewBox``.
            lower = name[:length].lower().decode("utf-8", "replace")
            number = self.standard.get(lower)
            if number is None:
                number = self.others.setdefault(lower, len(self.standard) + len(self.others))
            self.number_of[slot] = number
            self.known[slot] = name
        return self.number_of[slot]

    cdef tuple all(self, tuple standard):
        return with_others(standard, tuple(self.others))


cdef struct Value:
    unsigned long long hash
    size_t offset  # of its UTF-8 bytes in the values
    size_t length
    int number
    int chars


cdef unsigned long long SEED = int.from_bytes(os.urandom(8), "little") | 1


cdef inline unsigned long long hash_of(const char* data, size_t length) noexcept:
    cdef unsigned long long value = SEED ^ length
    cdef unsigned long long word
    cdef size_t i = 0
    while i < length:
        word = 0
        memcpy(&word, data + i, min(<size_t> 8, length - i))
        value = (value ^ word) * 0x9E3779B97F4A7C15ULL
        value ^= value >> 29
        i += 8
    return value


cdef class Values:
    """The numbers of attribute values in a table, by the bytes of the values.

    Slots are indices into ``entry``, plus one; the table has at least twice as many as entries. The hashes are
    seeded for each process, so that no page can be made to have values with equal hashes.
    """

    cdef object table
    cdef Column entry, data
    cdef int* slots
    cdef size_t mask, used

    def __cinit__(self, table):
        self.table = table
        self.entry, self.data = Column(), Column()
        self.mask, self.used = 1023, 0
        self.slots = <int*> PyMem_Calloc(1024, sizeof(int))
        if self.slots == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.slots)

    cdef inline Value* values(self) noexcept:
        return <Value*> self.entry.data

    cdef Value* find(self, const char* data, size_t length) except NULL:
        """Return the entry of a value; the pointer is valid until the next call."""
        cdef unsigned long long key = hash_of(data, length)
        cdef size_t at = self.slot(key, data, length)
        if not self.slots[at]:
            return self.add(key, data, length)
        return self.values() + self.slots[at] - 1

    cdef inline size_t slot(self, unsigned long long key, const char* data, size_t length) noexcept:
        """Return the slot of a value, or the empty slot for it."""
        cdef size_t at = key & self.mask
        cdef Value* value
        while self.slots[at]:
            value = self.values() + self.slots[at] - 1
            if value.hash == key and value.length == length:
                if not memcmp(self.data.data + value.offset, data, length):
                    break
            at = (at + 1) & self.mask
        return at

    cdef Value* add(self, unsigned long long key, const char* data, size_t length) except NULL:
        # Strictly: only then the table has the characters of the page.
        text = data[:length].decode()
        cdef int number = self.table.number(text)
        cdef Value* value
        if 2 * (self.used + 1) > self.mask:
            self.grow()
        # Another thread may have run in the call above, and may have added the same value.
        cdef size_t at = self.slot(key, data, length)
        if not self.slots[at]:
            self.entry.reserve(sizeof(Value))
            value = self.values() + self.used
            value.hash, value.offset, value.length = key, self.data.size, length
            value.number, value.chars = number, len(text)
            self.data.reserve(length)
            memcpy(self.data.data + self.data.size, data, length)
            self.data.size += length
            self.entry.size += sizeof(Value)
            self.used += 1
            self.slots[at] = self.used
        return self.values() + self.slots[at] - 1

    cdef int grow(self) except -1:
        cdef size_t mask = 4 * self.mask + 3
        cdef size_t i, at
        cdef int* slots = <int*> PyMem_Calloc(mask + 1, sizeof(int))
        if slots == NULL:
            raise MemoryError
        for i in range(self.used):
            at = self.values()[i].hash & mask
            while slots[at]:
                at = (at + 1) & mask
            slots[at] = i + 1
        PyMem_Free(self.slots)
        self.slots, self.mask = slots, mask
        return 0


cdef Values values_of(table):
    if table.native is None:
        table.native = Values(table)
    return table.native


cdef class Walker:
    """Lexbor's functions, found once in the library that selectolax is compiled into."""

    cdef Kind kind
    cdef Step first_child, following, above, first_attribute, next_attribute
    cdef Read tag_name, attribute_name, attribute_value, content
    cdef Release release

    def __init__(self, str path):
        """Find the functions; AttributeError where the library lacks one, OSError where there is none."""
        library = ctypes.CDLL(path)
        self.kind = <Kind> _address(library, "lxb_dom_node_type_noi")
        self.first_child = <Step> _address(library, "lxb_dom_node_first_child_noi")
        self.following = <Step> _address(library, "lxb_dom_node_next_noi")
        self.above = <Step> _address(library, "lxb_dom_node_parent_noi")
        self.first_attribute = <Step> _address(library, "lxb_dom_element_first_attribute_noi")
        self.next_attribute = <Step> _address(library, "lxb_dom_element_next_attribute_noi")
        self.tag_name = <Read> _address(library, "lxb_dom_element_qualified_name")
        self.attribute_name = <Read> _address(library, "lxb_dom_attr_qualified_name")
        self.attribute_value = <Read> _address(library, "lxb_dom_attr_value_noi")
        self.content = <Read> _address(library, "lxb_dom_node_text_content")
        self.release = <Release> _address(library, "lxb_dom_document_destroy_text_noi")

    def __call__(self, root, Py_ssize_t max_nodes, Py_ssize_t max_chars):
        """Return what `webgrain.page.kernels.domwalk.walk` returns for the same arguments.

        UnicodeDecodeError where the nodes hold bytes that are no UTF-8: the parser was given some.
        """
        return Tree(self, root.mem_id).read(max_nodes, max_chars)


cdef class Tree:
    """A tree being read: its columns up to node ``n``, their characters and attributes so far."""

    cdef Walker lexbor
    cdef void* root
    cdef void* document
    cdef Column parent, end, tag, text_start, attr_start, attr_name, value, text
    cdef Names tags, names
    cdef Values values
    cdef object table
    cdef Py_ssize_t n, m, chars, value_chars

    def __cinit__(self, Walker lexbor, size_t root):
        self.lexbor, self.root = lexbor, <void*> root
        self.document = lexbor.above(<void*> root)
        self.tags, self.names = Names(NUMBER_OF_TAG), Names(NUMBER_OF_NAME)
        self.table = current_values()
        self.values = values_of(self.table)
        self.parent, self.end, self.tag, self.text_start = Column(), Column(), Column(), Column()
        self.attr_start, self.attr_name, self.value = Column(), Column(), Column()
        self.text = Column()

    cdef tuple read(self, Py_ssize_t max_nodes, Py_ssize_t max_chars):
        cdef Walker lexbor = self.lexbor
        cdef void* node = self.root
        cdef void* other
        cdef int kind, above = -1
        cdef bint cut = False
        while True:
            kind = lexbor.kind(node)
            other = NULL
            if kind == ELEMENT or kind == TEXT:
                cut = self.n >= max_nodes or max(self.chars, self.value_chars) > max_chars
                if cut:
                    break
                self.add(node, kind, above)
                other = lexbor.first_child(node)
            if other != NULL:
                above = self.n - 1
                node = other
                continue
            while node != self.root:
                other = lexbor.following(node)
                if other != NULL:
                    break
                node = lexbor.above(node)
                above = self.close(above)
            if node == self.root:
                break
            node = other
        while above >= 0:  # of a walk that was cut short
            above = self.close(above)
        return self.columns(cut)

    cdef inline int close(self, int node) noexcept:
        self.end.ints()[node] = self.n
        return self.parent.ints()[node]

    cdef int add(self, void* node, int kind, int above) except -1:
        self.parent.add(above)
        self.end.add(self.n + 1)
        self.text_start.add(self.chars)
        self.attr_start.add(self.m)
        self.n += 1
        return self.add_text(node) if kind == TEXT else self.add_element(node)

    cdef int add_text(self, void* node) except -1:
        cdef size_t length = 0
        cdef const char* data = self.lexbor.content(node, &length)
        self.tag.add(0)
        if data != NULL:
            self.chars += self.text.extend(data, length)
            self.lexbor.release(self.document, data)
        return 0

    cdef int add_element(self, void* node) except -1:
        cdef size_t length = 0
        cdef const char* data = self.lexbor.tag_name(node, &length)
        cdef void* attribute = self.lexbor.first_attribute(node)
        cdef Value* value
        self.tag.add(self.tags.number(data, length))
        while attribute != NULL:
            data = self.lexbor.attribute_name(attribute, &length)
            self.attr_name.add(self.names.number(data, length))
            data = self.lexbor.attribute_value(attribute, &length)
            value = self.values.find(data, length) if data != NULL else self.values.find("", 0)
            self.value_chars += value.chars
            self.value.add(value.number)
            self.m += 1
            attribute = self.lexbor.next_attribute(attribute)
        return 0

    cdef tuple columns(self, bint cut):
        self.text_start.add(self.chars)
        self.attr_start.add(self.m)
        # Strictly: only then the characters counted above are those of the string.
        text = self.text.bytes().decode()
        columns = (
            self.parent.freeze(), self.end.freeze(), self.tag.freeze(), self.tags.all(TAGS),
            text, self.text_start.freeze(),
            self.attr_start.freeze(), self.attr_name.freeze(), self.names.all(NAMES),
            self.value.freeze(), self.table,
        )
        return columns, cut
