#pragma once

#include <libxml/HTMLparser.h>
#include <libxml/dict.h>
#include <libxml/encoding.h>
#include <libxml/entities.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

// The error's type gained a const in libxml2 2.12, and Swift tells pointers to constants apart.
typedef void (*cxml_error_handler)(void *context, const xmlError *error);

static inline void cxml_set_error_handler(xmlSAXHandler *handler, cxml_error_handler report) {
    handler->serror = (xmlStructuredErrorFunc)report;
}

static inline void cxml_ignore(void *context, const xmlError *error) {
    (void)context;
    (void)error;
}

// What libxml2 has to say apart from a document, on this thread, it would else say on standard error.
static inline void cxml_silence(void) {
    xmlSetStructuredErrorFunc(NULL, (xmlStructuredErrorFunc)cxml_ignore);
}

// Later versions of libxml2 warn of whoever looks into a context, and have functions for it that 2.9 lacks.

static inline void cxml_set_handler(xmlParserCtxt *parser, const xmlSAXHandler *handler, void *context) {
    *parser->sax = *handler;
    parser->userData = context;
}

static inline int cxml_is_well_formed(const xmlParserCtxt *parser) { return parser->wellFormed; }

static inline int cxml_line(const xmlParserCtxt *parser) { return parser->input ? parser->input->line : 0; }

static inline int cxml_column(const xmlParserCtxt *parser) { return parser->input ? parser->input->col : 0; }

static inline int cxml_depth(const xmlParserCtxt *parser) { return parser->nameNr; }

// Whether the tag that is being told of ends here, as a whole tag does.
static inline int cxml_is_at_tag_end(const xmlParserCtxt *parser) {
    const xmlChar *next = parser->input ? parser->input->cur : NULL;
    return next && (*next == '>' || (*next == '/' && next[1] == '>'));
}

// How many different names of elements, attributes and namespaces it keeps.
static inline int cxml_names(const xmlParserCtxt *parser) { return xmlDictSize(parser->dict); }

static inline int cxml_is_in_attribute(const xmlParserCtxt *parser) {
    return parser->instate == XML_PARSER_ATTRIBUTE_VALUE;
}

// What is left of a document that was not built: libxml2 notes a DTD's entities in it.
static inline void cxml_free_document(xmlParserCtxt *parser) {
    if (parser->myDoc) xmlFreeDoc(parser->myDoc);
    parser->myDoc = NULL;
}
