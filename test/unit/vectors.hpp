// The files of ../vectors, and of the kinds': no quotes, a header first.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace idgen {

using Row = std::map<std::string, std::string>;  // by the name of the column

inline std::vector<std::string> split(const std::string &line) {
    std::vector<std::string> values(1);
    for (char c : line) {
        if (c == ',')
            values.emplace_back();
        else
            values.back() += c;
    }
    return values;
}

// The rows of a file.
inline std::vector<Row> read_csv(const char *name) {
    std::ifstream file;
    for (const char *folder : {"../vectors/", "../../kinds/vectors/"})
        if (!file.is_open()) file.open(std::string(folder) + name);
    std::vector<Row> rows;
    std::string line;
    std::getline(file, line);
    std::vector<std::string> header = split(line);
    while (std::getline(file, line)) {
        std::vector<std::string> values = split(line);
        EXPECT_EQ(values.size(), header.size()) << line;
        Row row;
        for (std::size_t i = 0; i < header.size() && i < values.size(); i++) row[header[i]] = values[i];
        rows.push_back(row);
    }
    EXPECT_FALSE(rows.empty()) << name << ": run from the folder of the tests";
    return rows;
}

// The rows that have that value in a column; there must be one.
inline std::vector<Row> rows_where(const char *file, const char *column, const std::string &value) {
    std::vector<Row> rows;
    for (const Row &row : read_csv(file))
        if (row.at(column) == value) rows.push_back(row);
    EXPECT_FALSE(rows.empty()) << file << ' ' << value;
    return rows;
}

inline std::int64_t number(const std::string &text) {
    char *end = nullptr;
    std::int64_t value = std::strtoll(text.c_str(), &end, 10);
    EXPECT_TRUE(!text.empty() && *end == '\0') << text;
    return value;
}

// The bits of an unsigned number.
inline std::int64_t bits(const std::string &text) {
    char *end = nullptr;
    std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
    EXPECT_TRUE(!text.empty() && *end == '\0') << text;
    return static_cast<std::int64_t>(value);
}

}  // namespace idgen
