// Why a call was not answered, put into words: one line, clipped to the room that there is, without control
// characters and without what is no text in the database's encoding.
#pragma once

#include "lease/store/registry.hpp"

namespace idgen::lease {

// What is said where an answer makes no sense.
constexpr const char *no_registry_there = "what answers there does not answer as a registry does";
constexpr const char *no_end_there = "what answers there sends more than a registry does";

// Writes the sentence down; gives the reply back.
Reply put_trouble(Trouble &trouble, Reply reply, const char *sentence);

// The same with a name or a number in it, by the format's one %s.
Reply put_trouble(Trouble &trouble, Reply reply, const char *format, const char *word);

}  // namespace idgen::lease
