class Visit < ActiveRecord::Base
  belongs_to :album
end
